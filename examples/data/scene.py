#!/usr/bin/env python3
"""Writes scene.ppm: three spheres over a chequered floor at dusk, traced with NumPy."""
import numpy as np

WIDTH, HEIGHT, SAMPLES = 192, 128, 4
SUN = np.array([-0.55, 0.6, -0.58])
#            centre              radius  colour
SPHERES = [((-1.15, 0.05, 4.6), 1.05, (0.90, 0.25, 0.18)),
           ((0.95, -0.30, 3.6), 0.70, (0.20, 0.55, 0.85)),
           ((0.05, -0.68, 2.7), 0.32, (0.95, 0.78, 0.22))]


def hit(origin, ray, centre, radius):
    """Distance to a sphere, inf where it is missed."""
    to = origin - np.array(centre)
    b, c = (to * ray).sum(-1), (to * to).sum(-1) - radius ** 2
    root = b * b - c
    at = -b - np.sqrt(np.maximum(root, 0))
    return np.where((root > 0) & (at > 1e-3), at, np.inf)


def colour(ray):
    up = np.clip(ray[..., 1:2], 0, 1)
    out = np.array([0.98, 0.72, 0.50]) * (1 - up) ** 3 + np.array([0.22, 0.38, 0.70]) * (1 - (1 - up) ** 3)
    floor = np.where(ray[..., 1] < 0, -1 / np.minimum(ray[..., 1], -1e-9), np.inf)
    distances = [floor] + [hit(np.zeros(3), ray, c, r) for c, r, _ in SPHERES]
    nearest = np.argmin(distances, 0)
    for i, distance in enumerate(distances):
        seen = (nearest == i) & np.isfinite(distance)
        at = ray[seen] * distance[seen][:, None]
        if i == 0:
            normal = np.broadcast_to([0.0, 1.0, 0.0], at.shape)
            even = (np.floor(at[:, 0]) + np.floor(at[:, 2])) % 2 == 0
            paint = np.where(even[:, None], [0.85, 0.83, 0.78], [0.30, 0.27, 0.30])
        else:
            normal = (at - np.array(SPHERES[i - 1][0])) / SPHERES[i - 1][1]
            paint = np.broadcast_to(SPHERES[i - 1][2], at.shape)
        dark = np.any([np.isfinite(hit(at + 1e-3 * normal, SUN, c, r)) for c, r, _ in SPHERES], 0)
        light = np.clip(normal @ SUN, 0, 1) * ~dark
        shine = np.clip(((2 * (normal @ SUN)[:, None] * normal - SUN) * -ray[seen]).sum(-1), 0, 1) ** 40 * ~dark * (i > 0)
        lit = paint * (0.25 + 0.85 * light)[:, None] + 0.6 * shine[:, None]
        haze = np.exp(-0.06 * distance[seen])[:, None] if i == 0 else 1.0
        out[seen] = lit * haze + out[seen] * (1 - haze)
    return out


SUN = SUN / np.linalg.norm(SUN)
picture = np.zeros((HEIGHT, WIDTH, 3))
for sample in range(SAMPLES * SAMPLES):
    dy, dx = (np.array(divmod(sample, SAMPLES)) + 0.5) / SAMPLES
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    ray = np.stack([(x + dx - WIDTH / 2) / HEIGHT * 1.6, (HEIGHT / 2 - y - dy) / HEIGHT * 1.6, np.full(x.shape, 1.6)], -1)
    picture += colour(ray / np.linalg.norm(ray, axis=-1, keepdims=True)) / SAMPLES ** 2
with open(__file__.replace("scene.py", "scene.ppm"), "wb") as f:
    f.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT))
    f.write(np.uint8(np.clip(picture, 0, 1) ** (1 / 1.6) * 255 + 0.5).tobytes())
