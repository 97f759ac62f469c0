// SPDX-License-Identifier: GPL-2.0-or-later
// Comparison of runs: a table of each global that two of them have, with the change from the first run to the last one.
"use strict";

// What is compared of an element: its number, or the count and the average of its statistics. Texts are not.
function measures(e) {
	if (e.type === "stats")
		return { count: e.count, avg: e.avg };
	return e.type === "map" && e.value_type === "number" ? { "": e.value } : {};
}

// The elements of the globals in all runs, by name and keys: { name, keys, types: of the keys, runs: [measures of a run] }.
function joined(sessions) {
	const rows = new Map();

	sessions.forEach((session, run) => {
		for (const global of session.globals.values())
			for (const e of global.elements) {
				const key = global.name + JSON.stringify(e.keys);

				if (e.type === "stack")
					continue;
				if (!rows.has(key))
					rows.set(key, { name: global.name, keys: e.keys, types: e.key_types, runs: sessions.map(() => ({})) });
				rows.get(key).runs[run] = measures(e);
			}
	});
	return [...rows.values()];
}

// Tables by global and measure; globals without keys are in one table, by their names.
function compared(sessions) {
	const tables = new Map();

	for (const row of joined(sessions))
		for (const measure of Object.keys(Object.assign({}, ...row.runs))) {
			const name = row.name + (measure && ", " + measure), title = row.keys.length ? name : "Values";

			if (!tables.has(title))
				tables.set(title, []);
			tables.get(title).push({ ...(row.keys.length ? row : { keys: [name], types: ["string"] }),
				runs: row.runs.map(run => Number(run[measure] || 0)) });
		}
	return tables;
}

const change_of = row => row.runs.at(-1) - row.runs[0];

// An element that a run does not have counts as 0.
function comparison(rows) {
	const change = { title: "change", numeric: true, of: change_of, order: row => Math.abs(change_of(row)),
		text: n => (n > 0 ? "+" : "") + shown(n) };
	const columns = rows[0].keys.map((key, i) => ({ title: rows[0].keys.length > 1 ? "key " + (i + 1) : "key", key: true,
		numeric: rows[0].types[i] === "number", of: row => row.keys[i] }));
	const runs = rows[0].runs.map((n, run) => ({ title: "run " + (run + 1), numeric: true, of: row => row.runs[run] }));

	return new Table(rows, [...columns, ...runs, change], change).element();
}

function comparisons(sessions) {
	const tables = [...compared(sessions)];
	const same = tables.filter(([, rows]) => rows.every(row => !change_of(row)));

	return [...tables.filter(table => !same.includes(table)).map(([title, rows]) => section(title, "change from run 1 to run " + sessions.length,
		comparison(rows))), same.length ? element("p", null, "Without a change: " + same.map(([title]) => title).join("; ") + ".") : ""];
}
