// SPDX-License-Identifier: GPL-2.0-or-later
// Elements of the page, tables of arrays and bars of histograms. Texts of a session become text nodes, never HTML.
"use strict";

// Makes an element; attributes with functions are handlers of events. Children are elements and texts.
function element(tag, attributes, ...children) {
	const made = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === "function")
			made.addEventListener(name, value);
		else if (value !== undefined)
			made.setAttribute(name, value);
	}
	made.append(...children);
	return made;
}

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

// Numbers beyond 2^53 are texts, whose digits are all shown.
function shown(number) {
	if (number === undefined || number === null)
		return "";
	return typeof number === "string" ? number.replace(/\B(?=(\d{3})+$)/g, ",") : grouped.format(number);
}

function count_of(n, noun) {
	return shown(n) + " " + noun + (n === 1 ? "" : "s");
}

function percent(part, whole) {
	return whole ? grouped.format(100 * part / whole) + " %" : "";
}

function bar(value, max) {
	const width = max > 0 && value > 0 ? 100 * value / max : 0;
	const made = element("span", { class: "bar" });

	made.style.width = width + "%";
	made.style.visibility = width ? "visible" : "hidden";
	return made;
}

// --- histograms ---

const NANOSECONDS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

// A value in the unit that the script gives it, if any.
function measured(value, unit) {
	return NANOSECONDS[unit] ? duration(Number(value) * NANOSECONDS[unit]) : shown(value) + (unit ? " " + unit : "");
}

function range(bucket, unit) {
	if (bucket.lo === null)
		return "≤ " + measured(bucket.hi, unit);
	if (bucket.hi === null)
		return "≥ " + measured(bucket.lo, unit);
	if (Number(bucket.lo) === Number(bucket.hi))
		return measured(bucket.lo, unit);
	return (NANOSECONDS[unit] ? measured(bucket.lo, unit) : shown(bucket.lo)) + " – " + measured(bucket.hi, unit);
}

function follows(bucket, next) {
	return Number(bucket.hi) + 1 === Number(next.lo);
}

const BUCKETS = 128;                           // the largest number that is drawn, without those beyond the limits

// Lists of buckets as they are drawn: of linear histograms with more than BUCKETS, adjacent ones are summed, in all lists
// alike.
function drawable(lists) {
	const inner = lists.flat().filter(b => b.lo !== null && b.hi !== null);

	if (new Set(inner.map(b => Number(b.lo))).size <= BUCKETS)
		return lists;
	const low = d3.min(inner, b => Number(b.lo)), high = d3.max(inner, b => Number(b.hi));
	const size = Number(inner[0].hi) - Number(inner[0].lo) + 1;
	const each = size * Math.ceil((high - low + 1) / size / BUCKETS);
	const sum_of = b => {
		const from = low + Math.floor((Number(b.lo) - low) / each) * each;

		return b.lo === null || b.hi === null ? { ...b, count: 0 } : { lo: from, hi: from + each - 1, count: 0 };
	};

	return lists.map(list => {
		const sums = new Map();

		for (const b of list) {
			const sum = sum_of(b), key = sum.lo + "," + sum.hi;

			sums.set(key, sums.get(key) || sum).get(key).count += Number(b.count);
		}
		return [...sums.values()];
	});
}

function histogram(all, unit) {
	const rows = element("tbody");
	const [buckets] = drawable([all]);
	const total = d3.sum(buckets, b => Number(b.count));
	const max = d3.max(buckets, b => Number(b.count));

	buckets.forEach((b, i) => {
		if (i && !follows(buckets[i - 1], b))
			rows.append(element("tr", null, element("td", { class: "number faint" }, "…"), element("td"), element("td"),
				element("td")));
		rows.append(element("tr", null, element("td", { class: "number" }, range(b, unit)),
			element("td", { class: "bars" }, bar(Number(b.count), max)), element("td", { class: "number" }, shown(b.count)),
			element("td", { class: "number faint" }, percent(Number(b.count), total))));
	});
	return element("table", { class: "hist", "aria-label": "histogram" }, rows);
}

// The value below which this share of the values is; it is interpolated within a bucket, whose values are between the
// smallest and the largest one if these are known. A bucket without a limit has the limit that it has.
function quantile(stats, share) {
	const buckets = stats.buckets;
	let left = share * d3.sum(buckets, b => Number(b.count));

	for (const b of buckets) {
		const n = Number(b.count);

		if (left > n && b !== buckets.at(-1)) {
			left -= n;
			continue;
		}
		if (b.lo === null || b.hi === null)
			return Number(b.lo === null ? b.hi : b.lo);
		const lo = Math.max(Number(b.lo), Number(stats.min ?? b.lo)), hi = Math.min(Number(b.hi), Number(stats.max ?? b.hi));
		return lo + (hi - lo) * left / n;
	}
}

const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 };

function summary(stats) {
	const text = (k, value) => k + " " + (k === "count" ? shown(value) : measured(value, stats.unit));
	const known = ["count", "sum", "avg", "min", "max"].filter(k => stats[k] !== undefined).map(k => text(k, stats[k]));

	if (stats.buckets && stats.buckets.length)
		known.push(Object.entries(QUANTILES).map(([name, share]) => text(name, quantile(stats, share))).join(", ") +
			" (interpolated)");
	return known.join(", ");
}

// Time in the unit that fits it.
function duration(ns) {
	const [unit, of] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]].find(([, of]) => ns >= of) || ["ns", 1];

	return d3.format(".3~r")(ns / of) + " " + unit;
}

// --- tables ---

// The columns of an array: its keys, then its value or the numbers of its statistics.
function columns_of(elements) {
	const first = elements[0];
	const columns = first.keys.map((key, i) => ({
		title: first.keys.length > 1 ? "key " + (i + 1) : "key", key: true, numeric: first.key_types[i] === "number",
		of: e => e.keys[i],
	}));

	if (first.type === "map")
		columns.push({ title: "value", numeric: first.value_type === "number", of: e => e.value });
	else
		for (const name of ["count", "sum", "avg", "min", "max"])
			if (elements.some(e => e[name] !== undefined))
				columns.push({ title: name, numeric: true, of: e => e[name] });
	return columns;
}

function compare(column, a, b) {
	const of = column.order || column.of, x = of(a), y = of(b);

	return column.numeric ? (Number(x) || 0) - (Number(y) || 0) : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
}

const ROWS = 100;

// A column has a title, `of` an element, and whether it is numeric or a key; possibly `text` of its value, and by what an
// element has its `order` and its bar.
class Table {
	constructor(elements, columns = columns_of(elements), sorted = columns.find(c => !c.key && c.numeric) || columns[0]) {
		this.elements = elements;
		this.columns = columns;
		this.sorted = sorted;
		this.down = !this.sorted.key;
		this.filter = "";
		this.limit = ROWS;
		this.status = element("span", { class: "faint", role: "status" });
		this.more = element("button", { type: "button", click: () => { this.limit = Infinity; this.draw(); } }, "Show all");
		this.head = element("tr");
		this.rows = element("tbody");
		this.heads();
		this.draw();
	}

	element() {
		const filter = element("input", { type: "search", placeholder: "Filter", "aria-label": "filter rows",
			input: event => { this.filter = event.target.value.toLowerCase(); this.draw(); } });

		return element("div", { class: "array" }, element("div", { class: "tools" }, filter, this.status, this.more),
			element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "elements" },
				element("table", null, element("thead", null, this.head), this.rows)));
	}

	sort(column) {
		this.down = this.sorted === column ? !this.down : column.numeric;
		this.sorted = column;
		this.heads();
		this.draw();
		this.head.children[this.columns.indexOf(column)].firstChild.focus();
	}

	heads() {
		this.head.replaceChildren(...this.columns.map(c => element("th",
			{ class: c.numeric ? "number" : "", scope: "col",
				"aria-sort": c !== this.sorted ? undefined : this.down ? "descending" : "ascending" },
			element("button", { type: "button", click: () => this.sort(c) },
				c.title + (c !== this.sorted ? "" : this.down ? " ▼" : " ▲")))));
		this.measured = this.sorted.numeric && !this.sorted.key ? this.sorted : this.columns.find(c => c.numeric && !c.key);
		if (this.measured)
			this.head.append(element("th", { scope: "col" }, ""));
	}

	measure(e) {
		return Number((this.measured.order || this.measured.of)(e)) || 0;
	}

	row(e, max) {
		const row = element("tr", null, ...this.columns.map(c => element("td", { class: c.numeric ? "number" : "key" },
			c.text ? c.text(c.of(e)) : c.numeric && !c.key ? shown(c.of(e)) : String(c.of(e)))));

		if (this.measured)
			row.append(element("td", { class: "bars" }, bar(this.measure(e), max)));
		if (e.buckets)
			row.firstChild.prepend(this.opener(e, row), " ");
		return row;
	}

	// A button that shows the histogram of an element below it.
	opener(e, row) {
		const button = element("button", { type: "button", "aria-expanded": "false", "aria-label": "histogram", click: () => {
			const open = button.getAttribute("aria-expanded") === "true";

			button.setAttribute("aria-expanded", String(!open));
			button.textContent = open ? "+" : "−";
			if (open)
				row.nextSibling.remove();
			else
				row.after(element("tr", { class: "more" }, element("td", { colspan: row.children.length }, histogram(e.buckets, e.unit))));
		} }, "+");

		return button;
	}

	draw() {
		const matching = !this.filter ? this.elements.slice() : this.elements.filter(e =>
			this.columns.some(c => String(c.of(e)).toLowerCase().includes(this.filter)));
		const max = this.measured ? d3.max(this.elements, e => this.measure(e)) : 0;
		const sign = this.down ? -1 : 1;

		matching.sort((a, b) => sign * compare(this.sorted, a, b));
		this.rows.replaceChildren(...matching.slice(0, this.limit).map(e => this.row(e, max)));
		this.more.hidden = matching.length <= this.limit;
		this.status.textContent = (matching.length > this.limit ? "first " + shown(this.limit) + " of " : "") +
			count_of(matching.length, this.filter ? "matching element" : "element");
	}
}
