#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Strictly parses an SVG picture of stap-report: check_svg.py FILE prints the titles of its frames, pictures and
# lanes, its labels and its losses.
import sys
import xml.etree.ElementTree as ElementTree

SVG = '{http://www.w3.org/2000/svg}'
root = ElementTree.parse(sys.argv[1]).getroot()
width, height = (float(root.get(name)) for name in ('width', 'height'))
for rectangle in root.iter(SVG + 'rect'):
    if rectangle.get('class') != 'page' and not (
            0 <= float(rectangle.get('x')) <= float(rectangle.get('x')) + float(rectangle.get('width')) <= width and
            0 <= float(rectangle.get('y')) <= float(rectangle.get('y')) + float(rectangle.get('height')) <= height):
        print('a rectangle is outside', rectangle.attrib)
for element in root.iter():
    if element.tag.removeprefix(SVG) not in ('svg', 'style', 'rect', 'text', 'title', 'g'):
        print('element', element.tag)
    elif element.tag == SVG + 'title' or element.get('class') in ('label', 'lost', 'lane', 'title'):
        print(element.text)
