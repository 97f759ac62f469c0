// SPDX-License-Identifier: GPL-2.0-or-later
// Flame graphs of arrays whose keys have call stacks, drawn by d3-flame-graph; the keyboard, search and sizes are here.
"use strict";

const ROW = 20;                                // pixels
const FRAMES = 100000;                         // that d3-flame-graph lays out in a fraction of a second

// The stacks that have a width, sorted by their frames: those with the same callers are beside each other.
function sorted(stacks) {
	const order = (a, b) => {
		const i = a.frames.findIndex((frame, i) => frame !== b.frames[i]);

		return i < 0 ? a.frames.length - b.frames.length : i < b.frames.length ? a.frames[i] - b.frames[i] : 1;
	};

	return stacks.filter(stack => stack.value > 0).sort(order);
}

// Calls each(depth, frame, value) for the frames of the tree of sorted stacks, callees before their caller. The value of
// a frame is the sum of its stacks. Nothing is allocated for a frame, since most are too narrow to be drawn.
function visit(stacks, each) {
	const frames = [], sums = [];          // of the open frames: the sum of the preceding ones
	let sum = 0;
	const close = depth => {
		while (frames.length > depth)
			each(frames.length - 1, frames.pop(), sum - sums.pop());
	};

	for (const stack of stacks) {
		let same = 0;

		while (same < frames.length && frames[same] === stack.frames[same])
			same++;
		close(same);
		for (; same < stack.frames.length; same++) {
			frames.push(stack.frames[same]);
			sums.push(sum);
		}
		sum += Number(stack.value);
	}
	close(0);
	return sum;
}

// The value above which frames are drawn, so that they are at most FRAMES.
function limit_of(stacks) {
	const values = [];

	visit(stacks, (depth, frame, value) => values.push(value));
	return values.length < FRAMES ? 0 : Float64Array.from(values).sort()[values.length - FRAMES];
}

// Adds up the stacks to a tree of frames above the limit.
function tree_of(name, stacks, frames, limit) {
	const lists = [[]];                    // of finished frames at each depth, whose caller is not finished
	const node = (depth, name, value) => {
		const children = lists[depth] || [];

		lists[depth] = [];
		return { name, value, children, depth: children.reduce((most, child) => Math.max(most, 1 + child.depth), 1), before: 0 };
	};
	const value = visit(stacks, (depth, frame, value) => {
		if (value > limit)
			(lists[depth] = lists[depth] || []).push(node(depth + 1, frames[frame] || "?", value));
	});

	return node(0, name, value);
}

// Sets `before` of each node to its share in other stacks; 0 where it does not occur there.
function compare_stacks(root, stacks, frames) {
	const callees = new Map();
	const reset = node => {
		node.before = 0;
		callees.set(node, new Map(node.children.map(child => [child.name, child])));
		node.children.forEach(reset);
	};
	const share = node => {
		node.before /= root.before || 1;
		node.children.forEach(share);
	};

	reset(root);
	for (const stack of stacks.filter(stack => stack.value > 0)) {
		let node = root, i = 0;

		do
			node.before += Number(stack.value);
		while ((node = callees.get(node).get(frames[stack.frames[i++]])));
	}
	root.children.forEach(share);
	root.before = root.before && 1;
}

// A flame graph of stacks: { label, elements, frames }. `others` can be compared with it.
class Flame {
	constructor(stacks, others) {
		const elements = sorted(stacks.elements), limit = limit_of(elements);

		this.root = tree_of(stacks.label, elements, stacks.frames, limit);
		this.undrawn = stacks.elements.length - elements.length;
		this.others = others;
		this.compared = null;
		this.left = limit ? "Frames of at most " + d3.format(".2g")(100 * limit / this.root.value) + " % are not drawn. " : "";
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
			compare_stacks(this.root, this.compared.elements, this.compared.frames);
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
