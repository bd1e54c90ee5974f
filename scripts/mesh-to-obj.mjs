// Writes the mesh of an npm package as an OBJ file.
//   node mesh-to-obj.mjs PACKAGE_FOLDER OUT.obj
// Packages hold their mesh either as a module that exports `positions` and `cells`, or as
// gzipped text PLY files, of which the third (of the dragon: 47,794 triangles) is taken.
import { createRequire } from "node:module";
import { readdirSync, readFileSync, renameSync, writeFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

function fromModule(folder) {
    const { positions, cells } = createRequire(join(folder, "package.json"))(folder);
    return { positions, cells };
}

function fromPly(path) {
    const text = gunzipSync(readFileSync(path)).toString("latin1");
    const end = text.indexOf("end_header\n");
    const header = text.slice(0, end);
    if (end < 0 || !header.includes("format ascii 1.0"))
        throw new Error(`${path} is not a text PLY file`);
    const count = (element) => Number(header.match(new RegExp(`element ${element} (\\d+)`))[1]);
    const lines = text.slice(end + "end_header\n".length).split("\n");
    const rows = (first, number) =>
        lines.slice(first, first + number).map((line) => line.trim().split(/\s+/).map(Number));
    const points = count("vertex");
    return {
        positions: rows(0, points).map((row) => row.slice(0, 3)),
        cells: rows(points, count("face")).map((row) => row.slice(1, 1 + row[0])),
    };
}

function load(folder) {
    const models = join(folder, "models");
    if (!existsSync(models))
        return fromModule(folder);
    const files = readdirSync(models).filter((name) => name.endsWith(".ply.gz")).sort();
    if (files.length === 0)
        throw new Error(`${models} has no .ply.gz file`);
    return fromPly(join(models, files[Math.min(2, files.length - 1)]));
}

function check({ positions, cells }) {
    if (!Array.isArray(positions) || !Array.isArray(cells) || cells.length === 0)
        throw new Error("the package exports no positions and cells");
    if (!positions.every((p) => p.length === 3 && p.every(Number.isFinite)))
        throw new Error("a position is not three numbers");
    const isPoint = (i) => Number.isInteger(i) && i >= 0 && i < positions.length;
    if (!cells.every((cell) => cell.length >= 3 && cell.every(isPoint)))
        throw new Error("a cell names a point that does not exist");
}

const [folder, out] = process.argv.slice(2);
if (!folder || !out) {
    console.error("usage: node mesh-to-obj.mjs PACKAGE_FOLDER OUT.obj");
    process.exit(2);
}
try {
    const mesh = load(resolve(folder));
    check(mesh);
    const lines = mesh.positions.map((p) => `v ${p.join(" ")}`);
    lines.push(...mesh.cells.map((cell) => `f ${cell.map((i) => i + 1).join(" ")}`));
    writeFileSync(`${out}.part`, lines.join("\n") + "\n");
    renameSync(`${out}.part`, out);
} catch (error) {
    console.error(`mesh-to-obj: ${folder}: ${error.message}`);
    process.exit(1);
}
