#!/usr/bin/env bash
# weir verify: the quick form passes for the constraint method in 2D, and its JSON is complete.
. "$(dirname "$0")/lib.sh"

expect "quick verification" 0 'floating .* ok' "$weir" verify --quick --threads 1
expect "unknown method" 2 'there is no such method' "$weir" verify --method water
expect "bad spacing" 2 'must be a length above 0' "$weir" verify --spacing -1
