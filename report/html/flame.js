// SPDX-License-Identifier: GPL-2.0-or-later
// Flame graphs of arrays whose keys have call stacks, drawn by d3-flame-graph; the keyboard, search and sizes are here.
"use strict";

const ROW = 20;                                // pixels
const FRAMES = 100000;                         // that d3-flame-graph lays out in a fraction of a second

// Adds up the stacks to a tree. Values that are not above 0 have no width.
function tree_of(name, stacks, frames) {
	const root = { name: name, value: 0, below: new Map() };
	let nodes = 1;

	for (const stack of stacks) {
		let at = root;

		if (!(stack.value > 0))
			continue;
		root.value += stack.value;
		for (const frame of stack.frames) {
			let next = at.below.get(frame);

			if (!next) {
				next = { name: frames[frame] || "?", value: 0, below: new Map() };
				at.below.set(frame, next);
				nodes++;
			}
			next.value += stack.value;
			at = next;
		}
	}
	return { root, nodes };
}

// Makes lists of children, and depths, of those frames that have at least this value; returns their number.
function prune(node, least) {
	let nodes = 1;

	node.depth = 1;
	node.children = [...node.below.values()].filter(child => child.value >= least);
	for (const child of node.children) {
		nodes += prune(child, least);
		node.depth = Math.max(node.depth, 1 + child.depth);
	}
	return nodes;
}

// Sets `before` of each node to its share in another tree, of which `node` is 0 to 1; 0 where it does not occur.
function compare_trees(node, other, whole) {
	const names = new Map(other ? [...other.below.values()].map(below => [below.name, below]) : []);

	node.before = other && whole ? other.value / whole : 0;
	for (const below of node.below.values())
		compare_trees(below, names.get(below.name), whole);
}

// A flame graph of stacks: { label, elements, frames }. `others` can be compared with it.
class Flame {
	constructor(stacks, others) {
		const { root, nodes } = tree_of(stacks.label, stacks.elements, stacks.frames);
		let least = 0;

		for (least = nodes > FRAMES ? root.value * 1e-6 : 0; prune(root, least) > FRAMES; least *= 2)
			;
		this.root = root;
		this.others = others;
		this.compared = null;
		this.left = least ? "Frames below " + d3.format(".2g")(100 * least / root.value) + " % are not drawn. " : "";
		this.zoomed = "";
		this.info = element("div", { class: "info", "aria-live": "polite" });
		this.graph = element("div", { class: "flame", tabindex: 0, role: "application", keydown: event => this.key(event),
			"aria-label": "flame graph of " + stacks.label + ": arrow keys select a frame, Enter zooms, Escape resets" });
		this.search = element("input", { type: "search", placeholder: "Search frames", "aria-label": "search frames",
			input: () => this.find() });
		this.found = element("span", { class: "faint", role: "status" });
		this.choice = !others.length ? "" : element("select", { "aria-label": "compare with", change: event => this.compare(event.target.value) },
			element("option", { value: "" }, "Compare with …"), ...others.map((o, i) => element("option", { value: i }, o.label)));
	}

	element() {
		return element("div", { class: "flame-box" }, element("div", { class: "tools" }, this.search,
			element("button", { type: "button", click: () => this.reset() }, "Reset zoom"), this.choice, this.found),
			this.info, this.graph);
	}

	// Draws it; its element is part of the page, which gives the width.
	draw() {
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

		this.chart = flamegraph.default().width(this.width()).height(ROW * this.root.depth).cellHeight(ROW).minFrameSize(0.5).sort(true)
			.transitionDuration(still ? 0 : 150).setLabelHandler(d => this.label(d)).onHover(d => this.say(d))
			.setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term))
			.setSearchHandler((results, sum) => { this.sum = sum; })
			.setColorMapper((d, usual) => this.colour(d, usual))
			.onClick(d => { this.zoomed = d.parent ? "Zoomed to " + d.data.name + ". " : ""; this.select(d); });
		d3.select(this.graph).datum(this.root).call(this.chart);
		this.current = d3.select(this.graph).datum();
		this.say(this.current);
		new ResizeObserver(() => this.resize()).observe(this.graph);
	}

	// Colours the frames by the difference of their shares.
	compare(index) {
		this.compared = index === "" ? null : this.others[index];
		if (this.compared) {
			const other = tree_of("", this.compared.elements, this.compared.frames).root;

			compare_trees(this.root, other, other.value);
			this.most = 0;
			d3.hierarchy(this.root).each(d => { this.most = Math.max(this.most, Math.abs(this.growth(d.data))); });
		}
		this.chart.update();
		this.mark();
		this.say(this.current);
	}

	// The share of a frame minus that in the other graph.
	growth(node) {
		return (this.root.value ? node.value / this.root.value : 0) - node.before;
	}

	// Red frames grew, blue ones shrank.
	colour(d, usual) {
		if (d.highlight)
			return "#e863e8";
		if (!this.compared)
			return usual;
		const growth = this.growth(d.data), strength = this.most ? Math.sqrt(Math.abs(growth) / this.most) : 0;

		return d3.interpolateRgb("#dddddd", growth > 0 ? "#f2564b" : "#5b93f0")(strength);
	}

	width() {
		return Math.max(200, Math.floor(this.graph.clientWidth));
	}

	resize() {
		if (this.chart.width() === this.width())
			return;
		this.chart.width(this.width()).update();
		this.mark();
	}

	label(d) {
		return d.data.name + " (" + shown(d.data.value) + ", " + percent(d.data.value, this.root.value) +
			(this.compared ? "; " + this.compared.label + ": " + grouped.format(100 * d.data.before) + " %" : "") + ")";
	}

	say(d) {
		this.info.textContent = this.left + this.zoomed + this.label(d);
	}

	mark() {
		d3.select(this.graph).selectAll("g").classed("current", d => d === this.current);
	}

	select(d) {
		this.current = d;
		this.mark();
		this.say(d);
	}

	reset() {
		this.chart.resetZoom();
		this.mark();
	}

	find() {
		const term = this.search.value.toLowerCase();

		if (term)
			this.chart.search(term);
		else
			this.chart.clear();
		this.found.textContent = term ? "matched " + shown(this.sum) + ", " + percent(this.sum, this.root.value) : "";
		this.mark();
	}

	// The frame beside the current one, of those that are visible.
	beside(step) {
		const all = (this.current.parent ? this.current.parent.children : [this.current]).filter(d => !d.data.hide);

		return all[all.indexOf(this.current) + step];
	}

	key(event) {
		const moves = {
			ArrowUp: () => (this.current.children || []).slice().sort((a, b) => b.value - a.value)[0],
			ArrowDown: () => this.current.parent, ArrowLeft: () => this.beside(-1), ArrowRight: () => this.beside(1),
		};

		if (event.key === "Enter")
			this.chart.zoomTo(this.current);
		else if (event.key === "Escape")
			this.reset();
		else if (moves[event.key])
			this.select(moves[event.key]() || this.current);
		else
			return;
		event.preventDefault();
	}
}
