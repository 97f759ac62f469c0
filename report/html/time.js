// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures over time: histograms that are printed more than once as a heat map, and printed records as a timeline.
"use strict";

const COLUMNS = 200, LANES = 30, LABELS = 110;

function drawing(width, height, label) {
	return d3.create("svg").attr("class", "plot").attr("viewBox", [0, 0, width, height]).attr("height", height)
		.attr("role", "img").attr("aria-label", label);
}

function seconds(time) {
	return d3.format(".4~g")(time / 1e9) + " s";
}

function time_axis(svg, scale, height) {
	const [left, right] = scale.range();

	for (const tick of scale.ticks(Math.max(2, Math.floor((right - left) / 90))))
		svg.append("text").attr("x", scale(tick)).attr("y", height - 4)
			.attr("text-anchor", right - scale(tick) < 25 ? "end" : "middle").text(seconds(tick));
}

// Adds a rectangle with a description; strength from 0 to 1.
function cell(svg, x, y, width, height, strength, text) {
	svg.append("rect").attr("class", "cell").attr("x", x).attr("y", y).attr("width", Math.max(1, width)).attr("height", height)
		.attr("fill-opacity", 0.12 + 0.88 * strength).append("title").text(text);
}

// --- heat maps ---

// Histograms by the place that printed them: the probe, and the position among those that one hit printed.
function printed_histograms(records) {
	const groups = new Map();

	for (const r of records) {
		if (r.type !== "hist")
			continue;
		const key = r.probe + " " + r.nth;

		if (!groups.has(key))
			groups.set(key, { probe: r.probe, nth: r.nth, hists: [] });
		groups.get(key).hists.push(r);
	}
	return [...groups.values()];
}

const bucket_key = b => String(b.lo) + "," + String(b.hi);
const counts_of = h => new Map(h.buckets.map(b => [bucket_key(b), Number(b.count)]));

// A statistic that is never cleared grows: each column is then the difference from the one before.
function differences(hists) {
	const counts = hists.map(counts_of);
	const grows = counts.every((c, i) => !i || [...counts[i - 1]].every(([key, n]) => (c.get(key) || 0) >= n));

	if (grows)
		return { grows, counts: counts.map((c, i) => new Map([...c].map(([key, n]) =>
			[key, n - (i && counts[i - 1].get(key) || 0)]))) };
	return { grows, counts };
}

// Merges columns that are too narrow to be seen.
function merged(hists, counts) {
	const each = Math.ceil(hists.length / COLUMNS);
	const columns = [];

	hists.forEach((h, i) => {
		if (i % each === 0)
			columns.push({ time: h.time, counts: new Map() });
		for (const [key, n] of counts[i])
			columns.at(-1).counts.set(key, (columns.at(-1).counts.get(key) || 0) + n);
	});
	return columns;
}

function low_of(b) {
	return b.lo === null ? -Infinity : Number(b.lo);
}

function heat_map(all, width) {
	const lists = drawable(all.map(h => h.buckets));
	const hists = all.map((h, i) => ({ time: h.time, buckets: lists[i] }));
	const rows = [...new Map(hists.flatMap(h => h.buckets).map(b => [bucket_key(b), b])).values()]
		.sort((a, b) => low_of(b) - low_of(a));
	const { grows, counts } = differences(hists);
	const columns = merged(hists, counts);
	const max = d3.max(columns, c => d3.max(c.counts.values())) || 1;
	const strength = d3.scaleLog([1, Math.max(2, max)], [0, 1]);
	const row = 16, height = rows.length * row + 20, last = columns.at(-1).time;
	const scale = d3.scaleLinear([columns[0].time, last + (last - columns[0].time) / Math.max(1, columns.length - 1)],
		[LABELS, width]);
	const svg = drawing(width, height, "heat map of " + count_of(hists.length, "histogram"));

	rows.forEach((b, y) => {
		svg.append("text").attr("x", LABELS - 6).attr("y", y * row + 12).attr("text-anchor", "end").text(low_of(b) === -Infinity ?
			range(b) : shown(b.lo));
		columns.forEach((c, x) => {
			const n = c.counts.get(bucket_key(b));
			const from = scale(c.time), to = x + 1 < columns.length ? scale(columns[x + 1].time) : width;

			if (n)
				cell(svg, from, y * row + 1, to - from - 0.5, row - 1, strength(n),
					range(b) + " at " + seconds(c.time) + ": " + shown(n));
		});
	});
	time_axis(svg, scale, height);
	return element("div", null, svg.node(), element("p", { class: "faint" }, "Values grow upwards, time runs to the right. The strongest colour is " +
		count_of(max, "value") + "." + (grows ? " The histogram is cumulative: each column shows the increase." : "")));
}

// --- timeline ---

// Lanes of the probes whose records have a time; none if all have the same.
function lanes_of(records) {
	const lanes = d3.groups(records, r => r.probe).slice(0, LANES);

	return records.length > 1 && records.some(r => r.time !== records[0].time) ? lanes : [];
}

// Losses are lines through all lanes.
function timeline(lanes, gaps, probe_name, width) {
	const row = 34, height = lanes.length * row + 20;
	const times = lanes.flatMap(([, records]) => d3.extent(records, r => r.time));
	const scale = d3.scaleLinear(d3.extent(times), [4, width - 8]);
	const svg = drawing(width, height, "timeline of printed records");

	lanes.forEach(([probe, records], i) => {
		const bins = d3.groups(records, r => Math.floor(scale(r.time) / 3));
		const max = d3.max(bins, ([, list]) => list.length);

		svg.append("text").attr("x", 4).attr("y", i * row + 12).text(probe_name(probe) + " (" + count_of(records.length, "record") + ")");
		svg.append("line").attr("class", "lane").attr("x1", 0).attr("x2", width).attr("y1", i * row + 31).attr("y2", i * row + 31);
		for (const [bin, list] of bins)
			cell(svg, bin * 3, i * row + 16, 2.5, 14, Math.log(1 + list.length) / Math.log(1 + max), seconds(list[0].time) + ", CPU " +
				list[0].cpu + (list.length > 1 ? ", " + list.length + " records" : "") + ": " + list[0].text.slice(0, 200));
	});
	for (const g of gaps.filter(g => g.time >= scale.domain()[0] && g.time <= scale.domain()[1]))
		svg.append("rect").attr("class", "lost").attr("x", scale(g.time)).attr("width", 2).attr("y", 0).attr("height", height - 20)
			.append("title").text(seconds(g.time) + ": " + g.text);
	time_axis(svg, scale, height);
	return svg.node();
}
