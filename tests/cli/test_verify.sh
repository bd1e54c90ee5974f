#!/usr/bin/env bash
# weir verify: the quick form passes for the constraint method in 2D, as JSON, too; single bodies can be asked for.
. "$(dirname "$0")/lib.sh"

expect "quick verification" 0 'floating .* ok' "$weir" verify --quick --threads 1
expect "JSON" 0 '"passed": true' "$weir" verify --quick --only joints --json
expect "unknown method" 2 'there is no such method' "$weir" verify --method water
expect "bad spacing" 2 'must be a length above 0' "$weir" verify --spacing -1
expect "one body" 0 'box of 0.5 .* ok' "$weir" verify --quick --threads 1 --only floating --case 'box of 0.5'
expect "no such body" 2 "no body that is measured has the words 'cone'" "$weir" verify --case cone
