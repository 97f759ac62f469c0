// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the sessions of the page, and shows each: problems, pictures of the globals, pictures over time, the text that
// was printed, and the script.
"use strict";

// --- data ---

function take(session, o) {
	switch (o.type) {
	case "begin": session.begin = o; break;
	case "warning": case "error": case "lost": session.problems.push(o); break;
	case "probe": session.probes.push(o); break;
	case "print": case "hist": session.records.push(o); break;
	case "gap": session.gaps.push(o); break;
	case "frame": session.frames.push(o.name); break;
	case "map": case "stats": case "stack": {
		const key = o.name + (o.type === "stack" ? "\nstack" : "");

		if (!session.globals.has(key))
			session.globals.set(key, { name: o.name, elements: [] });
		session.globals.get(key).elements.push(o);
		break;
	}
	case "end": session.end = o; break;
	case "counts": session.counts = o; break;
	case "costs": session.costs = o; break;
	}
}

// A line that is cut off is the last one of a file that is incomplete.
function read(text) {
	const session = { begin: {}, problems: [], probes: [], records: [], gaps: [], frames: [], globals: new Map(), counts: {}, costs: { hits: [], sum: [], max: [] },
		cut: false };

	for (const line of text.split("\n")) {
		if (!line)
			continue;
		try {
			take(session, JSON.parse(line));
		} catch (error) {
			session.cut = true;
		}
	}
	return session;
}

// --- sections ---

function section(title, note, ...children) {
	return element("section", null, element("h2", null, title, note ? element("small", null, " · " + note) : ""), ...children);
}

function header(begin, title) {
	const where = [begin.host, begin.kernel && "Linux " + begin.kernel, begin.target && "process " + begin.target,
		begin.time_ns && new Date(Number(begin.time_ns) / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC"];

	return element("header", null, element("h1", null, title),
		element("p", { class: "faint" }, where.filter(Boolean).join(" · ")));
}

function problems_of(session) {
	const titles = { warning: "Warning: ", error: "Error: ", lost: "Lost: " };
	const list = session.problems.map(p => titles[p.type] + p.text.trimEnd());

	if (session.end && session.end.status)
		list.push("The session ended with status " + session.end.status + ".");
	if (!session.end || session.cut)
		list.push("The records end before the session did: the report is incomplete.");
	if (session.counts.messages_left)
		list.push(count_of(session.counts.messages_left, "more message") + " not shown.");
	if (session.counts.values_left)
		list.push(count_of(session.counts.values_left, "element") + " of arrays left out, beyond the first 100,000.");
	return list;
}

function problems(session) {
	const list = problems_of(session);

	return list.length ? element("div", { class: "problems", role: "alert" },
		element("ul", null, ...list.map(text => element("li", null, text)))) : "";
}

function is_scalar(global) {
	return global.elements.length === 1 && global.elements[0].type === "map" && !global.elements[0].keys.length;
}

function scalars(session) {
	const all = [...session.globals.values()].filter(is_scalar);
	const rows = all.map(g => element("tr", null, element("td", { class: "key" }, g.name),
		element("td", { class: "key" }, g.elements[0].value_type === "number" ? shown(g.elements[0].value) : g.elements[0].value)));

	return all.length ? section("Values", count_of(all.length, "global"),
		element("div", { class: "scroll" }, element("table", null, element("tbody", null, ...rows)))) : "";
}

function stacks_of(session) {
	return [...session.globals.values()].filter(g => g.elements[0].type === "stack")
		.map(g => ({ label: (session.run ? "run " + session.run + ": " : "") + g.name, elements: g.elements, frames: session.frames }));
}

// The picture that fits the type of a global.
function picture(global, session, all, later) {
	const first = global.elements[0];

	if (first.type === "stack") {
		const flame = new Flame({ label: global.name, elements: global.elements, frames: session.frames },
			all.flatMap(stacks_of).filter(o => o.elements !== global.elements));

		later.push(() => flame.draw());
		return section(global.name, "flame graph of " + count_of(global.elements.length, "stack") +
			(flame.undrawn ? ", " + flame.undrawn + " of value 0 or less not drawn" : ""), flame.element());
	}
	if (!first.keys.length)
		return section(first.label || global.name, "statistics", element("p", null, summary(first)), first.buckets ? histogram(first.buckets, first.unit) : "");
	return section(first.label || global.name, first.type === "stats" ? "statistics by key" : "array", new Table(global.elements).element());
}

// Flame graphs are first.
function pictured(session) {
	const of = g => g.elements[0].type === "stack" ? 0 : 1;

	return [...session.globals.values()].filter(g => !is_scalar(g)).sort((a, b) => of(a) - of(b));
}

function probe_name(session) {
	return number => session.probes[number] ? session.probes[number].probe : "others";
}

// A picture that depends on the width is drawn again when it changes.
function fitted(make, later) {
	const box = element("div", { class: "fitted" });
	let width = 0;

	later.push(() => new ResizeObserver(() => {
		if (Math.abs(box.clientWidth - width) < 2)
			return;
		width = box.clientWidth;
		box.replaceChildren(make(Math.max(280, width)));
	}).observe(box));
	return box;
}

function over_time(session, later) {
	const name = probe_name(session);
	const sections = printed_histograms(session.records).map(group => {
		const hists = group.hists.filter(h => h.buckets);
		const title = hists.length && hists[0].label ? hists[0].label :
			"Histogram" + (group.nth ? " " + (group.nth + 1) : "") + " of " + name(group.probe);

		if (!hists.length)
			return "";
		if (hists.length === 1)
			return section(title, seconds(hists[0].time), element("p", null, summary(hists[0])), histogram(hists[0].buckets, hists[0].unit));
		return section(title, "heat map of " + hists.length, fitted(width => heat_map(hists, width), later));
	});
	const lanes = lanes_of(session.records);

	if (lanes.length)
		sections.push(section("Timeline", count_of(session.counts.printed || session.records.length, "printed record"),
			fitted(width => timeline(lanes, session.gaps, name, width), later)));
	return sections;
}

function text_output(session) {
	const pre = element("pre");
	let next = 0, left = 0;

	const gap = n => {
		if (n <= 0)
			return;
		left += n;
		pre.append(element("span", { class: "gap" }, "[" + count_of(n, "record") + " not shown]\n"));
	};

	const gaps = session.gaps.slice();
	const lost_before = n => {
		while (gaps.length && gaps[0].n <= n)
			pre.append(element("span", { class: "gap" }, "[Lost here: " + gaps.shift().text + "]\n"));
	};

	for (const r of session.records) {
		lost_before(r.n);
		gap(r.n - next);
		pre.append(r.text);
		next = r.n + 1;
	}
	gap((session.counts.printed || 0) - next);
	lost_before(Infinity);
	return next ? section("Output", count_of(session.counts.printed || next, "record") +
		(left ? ", a sample of " + shown(session.records.length) : ""),
		element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "output" }, pre)) : "";
}

// Records, hits and nanoseconds of the probes of each line, by its number. Probes of other files do not match the text
// at their place; those of options, such as <timeout>, could.
function probes_by_line(session, lines) {
	const result = new Map();

	session.probes.forEach((probe, i) => {
		const [, line, column] = /^[^<].*:(\d+):(\d+)$|^<input>:(\d+):(\d+)$/.exec(probe.place)?.filter(s => s) || [];
		const text = line && lines[line - 1];

		if (text !== undefined && text.slice(column - 1).startsWith(/^[\w.]*/.exec(probe.probe)[0]))
			result.set(Number(line), [(session.counts.records || [])[i], session.costs.hits[i], session.costs.sum[i]].map((n, k) =>
				(n || 0) + (result.get(Number(line)) || [0, 0, 0])[k]));
	});
	return result;
}

// The cost of each probe that was hit; the table is there if the script's lines do not have all of it.
function probe_costs(session) {
	const hit = session.probes.map((p, i) => ({ probe: p.probe, place: p.place, hits: session.costs.hits[i] || 0,
		sum: session.costs.sum[i] || 0, max: session.costs.max[i] || 0 })).filter(p => p.hits && p.place !== "generated code");
	const total = { title: "time", numeric: true, of: p => p.sum, text: duration };

	return hit.length ? section("Probes", count_of(hit.length, "probe") + " hit", new Table(hit, [
		{ title: "probe", key: true, of: p => p.probe }, { title: "place", key: true, of: p => p.place.replace(/^.*\//, "") },
		{ title: "hits", numeric: true, of: p => p.hits }, total,
		{ title: "per hit", numeric: true, of: p => p.sum / p.hits, text: duration },
		{ title: "longest", numeric: true, of: p => p.max, text: ns => ns ? duration(ns) : "" }], total).element()) : "";
}

function script(session) {
	const lines = (session.begin.script || "").replace(/\n$/, "").split("\n");
	const probes = probes_by_line(session, lines);
	const cells = of => !of ? ["", "", "", ""] : [shown(of[0]), shown(of[1]), of[1] ? duration(of[2]) : "", of[1] ? duration(of[2] / of[1]) : ""];

	if (!session.begin.script)
		return "";
	return section("Script", "with the records, hits and time of each probe",
		element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "script" }, element("table", { class: "script" },
			element("thead", null, element("tr", null, ...["", "records", "hits", "time", "per hit"].map(title =>
				element("th", { class: "number", scope: "col" }, title)), element("th"))),
			element("tbody", null, ...lines.map((line, i) => element("tr", { class: probes.has(i + 1) ? "probed" : undefined },
				element("td", { class: "number" }, String(i + 1)),
				...cells(probes.get(i + 1)).map(text => element("td", { class: "number count" }, text)),
				element("td", null, line)))))));
}

function show(session, all, page) {
	const later = [];

	page.append(header(session.begin, session.run ? "Run " + session.run : "stap report"), problems(session),
		...pictured(session).map(g => picture(g, session, all, later)), scalars(session),
		...over_time(session, later), text_output(session), probe_costs(session), script(session));
	later.forEach(draw => draw());
}

document.addEventListener("DOMContentLoaded", () => {
	const sessions = [...document.querySelectorAll("script.session")].map(data => read(data.textContent));
	const page = document.getElementById("report");

	if (sessions.length > 1) {
		sessions.forEach((session, i) => { session.run = i + 1; });
		page.append(element("h1", null, "stap report of " + sessions.length + " runs"), ...comparisons(sessions));
	}
	sessions.forEach(session => show(session, sessions, page));
});
