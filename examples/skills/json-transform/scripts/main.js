// Filters, sorts and groups records.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const readInput = () => JSON.parse(process.env.SANDBOX_INPUT ?? fs.readFileSync("/sandbox/input.json", "utf8"));

const equal = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    const [left, right] = [String(a ?? ""), String(b ?? "")];
    return left < right ? -1 : left > right ? 1 : 0;
}

function transform({ records, where = {}, sort_by: sortBy, descending = false, pick }) {
    let found = records.filter((record) => Object.entries(where).every(([name, value]) => equal(record[name], value)));
    if (sortBy !== undefined) found.sort((a, b) => (descending ? -1 : 1) * compare(a[sortBy], b[sortBy]));
    if (pick) found = found.map((record) => Object.fromEntries(pick.filter((name) => name in record).map((name) => [name, record[name]])));
    return found;
}

function countBy(records, name) {
    const groups = {};
    for (const record of records) {
        const value = String(record[name] ?? "");
        groups[value] = (groups[value] ?? 0) + 1;
    }
    return groups;
}

const input = readInput();
const records = transform(input);
const output = { count: records.length, records };
if (input.group_by !== undefined) output.groups = countBy(records, input.group_by);

const files = process.env.SANDBOX_FILES_DIR;
fs.mkdirSync(files, { recursive: true });
fs.writeFileSync(path.join(files, "records.ndjson"), records.map((record) => JSON.stringify(record) + "\n").join(""));
fs.mkdirSync(path.dirname(process.env.SANDBOX_OUTPUT), { recursive: true });
fs.writeFileSync(process.env.SANDBOX_OUTPUT, JSON.stringify(output));
console.log(`Kept ${records.length} of ${input.records.length} records`);
