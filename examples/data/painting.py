#!/usr/bin/env python3
"""Writes painting.ppm: some thousand brush strokes along a sky of whirls, in blues and yellows."""
import math
import random

WIDTH, HEIGHT, STROKES = 192, 128, 5200
WHIRLS = [(48, 40, 30, 1.0), (118, 58, 34, -1.0), (164, 26, 20, 1.0), (20, 96, 26, -1.0), (84, 108, 24, 1.0), (172, 104, 26, -1.0)]
NIGHT = [(14, 22, 66), (24, 44, 112), (38, 76, 158), (66, 116, 188), (120, 170, 214), (190, 214, 220)]
LIGHT = [(250, 222, 90), (246, 190, 40), (232, 140, 30), (255, 244, 190)]
random.seed(3)


def flow(x, y):
    """The direction of the brush, and how near the middle of a whirl is."""
    u, v, near = 0.55, 0.12 * math.sin(x / 17), 0.0
    for cx, cy, reach, turn in WHIRLS:
        dx, dy = x - cx, y - cy
        pull = math.exp(-(dx * dx + dy * dy) / (reach * reach))
        u, v, near = u - turn * dy * pull / 9, v + turn * dx * pull / 9, max(near, pull)
    size = math.hypot(u, v) or 1
    return u / size, v / size, near


picture = [[(20, 34, 90)] * WIDTH for _ in range(HEIGHT)]
for stroke in range(STROKES):
    x, y = random.uniform(-6, WIDTH + 6), random.uniform(-6, HEIGHT + 6)
    near = flow(x, y)[2]
    bands = 0.5 + 0.5 * math.sin(14 * near + 0.9 * math.sin(y / 9))      # rings of light and dark about a whirl
    if near > 0.72 and random.random() < 0.85:
        paint = random.choice(LIGHT)
    elif near > 0.35 and random.random() < 0.16:
        paint = LIGHT[1 + int(random.random() * 2)]
    else:
        paint = NIGHT[min(5, max(0, int(bands * 4.4 + random.gauss(0.3, 0.8))))]
    radius, length = random.uniform(0.7, 1.5), random.randint(8, 18)
    bristles = [random.uniform(0.78, 1.2) for _ in range(7)]
    for _ in range(length):
        u, v, _ = flow(x, y)
        for side in range(-3, 4):                                        # bristles stand across the stroke
            px, py = int(x - v * side * radius / 2.2), int(y + u * side * radius / 2.2)
            if 0 <= px < WIDTH and 0 <= py < HEIGHT:
                picture[py][px] = tuple(min(255, int(c * bristles[side + 3])) for c in paint)
        x, y = x + u * 0.8, y + v * 0.8
with open(__file__.replace("painting.py", "painting.ppm"), "wb") as f:
    f.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes(c for row in picture for p in row for c in p))
