// SPDX-License-Identifier: GPL-2.0-or-later
// A class with a base, a table of virtual functions, a static member; a reference.
struct base {
	int id = 3;
	static int count;
	virtual int f() { return id; }
};
int base::count = 5;
class animal : public base {
public:
	char name[8] = "dog";
	short legs = 4;
	int f() override;
};
__attribute__((noinline)) int animal::f() { return legs + id; }
__attribute__((noinline)) int look(animal *a, animal &r) { return a->legs + r.f() + a->name[0]; }
int main() { animal a; return look(&a, a) == 0; }
