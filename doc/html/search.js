// SPDX-License-Identifier: GPL-2.0-or-later
// Shows the pages and sections that contain all words of the search field, those with a matching title first.
// index.js sets `pages`, an array of [title, summary, address, words].
const field = document.querySelector("input"), list = document.querySelector("#found");

function rank(page, words) {
	const title = page[0].toLowerCase();

	if (title === words[0] || title.endsWith("::" + words[0]) || title.replace(/\(\w*\)$/, "").endsWith("::" + words[0]))
		return 0;
	return title.includes(words[0]) ? 1 : (title + " " + page[1]).toLowerCase().includes(words[0]) ? 2 : 3;
}

field.addEventListener("input", () => {
	const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
	const found = words.length === 0 ? [] : pages.filter((page) => words.every((word) => (page[0] + " " + page[1] + " " + page[3]).toLowerCase().includes(word)));

	list.replaceChildren(...found.sort((a, b) => rank(a, words) - rank(b, words)).slice(0, 40).map(([title, summary, address]) => {
		const item = document.createElement("li"), link = document.createElement("a");

		link.href = field.dataset.top + address;
		link.textContent = title;
		item.append(link, summary ? " – " + summary : "");
		return item;
	}));
	if (words.length && !found.length)
		list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
});
