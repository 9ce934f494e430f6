"""Pictures of the window: read, made small for keeping, and compared with a tolerance.

A reference is half as large as the picture and has at most 255 colours, so that seventy of them are about a megabyte; what differs from run to run
(times, temporary files: `hloscope shot --steady` lists the rectangles) is magenta in it, and is not compared.

Two pictures agree where each point of one has its like within one point in the other: other hinting, antialiasing and rounding of a place are let
pass. They differ where many points close to each other have none: a letter more, a text moved by a few pixels, another colour, a panel gone.
This is no general library: it reads the PNG that the window writes (8 bit, rows not filtered) and its own.
"""
import os, struct, sys, zlib

try:
    import numpy as np
except ImportError:
    # The interpreter that CMake found may be one beside Debian's, which has the package python3-numpy.
    if sys.executable != '/usr/bin/python3' and os.path.exists('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3'] + sys.argv)
    raise

MAGENTA = (255, 0, 255)
# A point has no like where the nearest differs in a channel by more than TOLERANCE (of 255) and this part of the contrast round it: faint texts count
# as much as strong ones, and the edges of strong ones may be drawn a little differently.
TOLERANCE, OF_CONTRAST = 18, 0.2
# So many of them within a square of SQUARE points (of the half-sized picture) are a difference.
SQUARE, TOO_MANY = 12, 6


def read_png(path):
    """A picture as an array [height, width, 3] of bytes."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:8] != b'\x89PNG\r\n\x1a\n':
        raise ValueError(f'{path} is no PNG')
    at, pixels, palette = 8, b'', None
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        at += 12 + size
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', body[:10])
        elif kind == b'PLTE':
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3)
        elif kind == b'IDAT':
            pixels += body
    channels = {2: 3, 3: 1}.get(color)
    if depth != 8 or channels is None:
        raise ValueError(f'{path}: depth {depth}, color type {color} are not read here')
    rows = np.frombuffer(zlib.decompress(pixels), np.uint8).reshape(height, 1 + width * channels)
    if rows[:, 0].any():
        raise ValueError(f'{path}: its rows are filtered')
    rows = rows[:, 1:].reshape(height, width, channels)
    return rows.copy() if palette is None else palette[rows[:, :, 0]]


def write_png(path, picture, palette=None):
    """`picture`: [height, width, 3], or [height, width] of indices into the palette."""
    height, width = picture.shape[:2]
    raw = np.zeros((height, 1 + width * (1 if palette is not None else 3)), np.uint8)
    raw[:, 1:] = picture.reshape(height, -1)

    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2 if palette is None else 3, 0, 0, 0)))
        if palette is not None:
            file.write(chunk(b'PLTE', palette.astype(np.uint8).tobytes()))
        file.write(chunk(b'IDAT', zlib.compress(raw.tobytes(), 9)) + chunk(b'IEND', b''))


def read_varying(path):
    """The rectangles beside a picture, [x0, y0, x1, y1] each; none where there is no such file."""
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        return [[float(word) for word in line.split()] for line in file if line.strip()]


def small(picture, varying):
    """Half as large, with magenta where it varies."""
    height, width = picture.shape[0] // 2 * 2, picture.shape[1] // 2 * 2
    whole = picture[:height, :width].astype(np.uint16)
    half = ((whole[::2, ::2] + whole[1::2, ::2] + whole[::2, 1::2] + whole[1::2, 1::2] + 2) // 4).astype(np.uint8)
    half[(half == MAGENTA).all(axis=2)] = (254, 0, 254)
    for x0, y0, x1, y1 in varying:
        half[max(0, int(y0) // 2 - 1):int(y1) // 2 + 2, max(0, int(x0) // 2 - 1):int(x1) // 2 + 2] = MAGENTA
    return half


def few_colors(picture, step=8):
    """The picture as indices, and its palette: the most frequent colours, and of the others those that are least like what is there already."""
    magenta = (picture == MAGENTA).all(axis=2)
    steps = np.minimum((picture.astype(np.uint16) + step // 2) // step * step, 255)
    codes = (steps[:, :, 0].astype(np.int64) << 16) | (steps[:, :, 1].astype(np.int64) << 8) | steps[:, :, 2]
    found, inverse, counts = np.unique(codes.reshape(-1), return_inverse=True, return_counts=True)
    colors = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.int64)
    palette, to, far = [MAGENTA], np.zeros(len(found), np.int64), np.full(len(found), 1 << 20)
    common = list(np.argsort(-counts, kind='stable')[:64])
    while len(palette) < 256 and far.max() > 0:
        color = colors[common.pop(0) if common else far.argmax()]
        near = np.abs(colors - color).max(axis=1)
        to[near < far] = len(palette)
        far = np.minimum(far, near)
        palette.append(tuple(color))
    palette = np.array(palette, np.uint8)
    indices = to[inverse].reshape(magenta.shape).astype(np.uint8)
    indices[magenta] = 0
    return indices, palette


def _without_like(one, other, ys, xs):
    """Which of these points of `one` have no like among the 9 points round them in `other`."""
    best = np.full(len(ys), 255, np.int16)
    height, width = one.shape[:2]
    here = one[ys, xs].astype(np.int16)
    low, high = here.copy(), here.copy()
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            there = other[np.clip(ys + dy, 0, height - 1), np.clip(xs + dx, 0, width - 1)].astype(np.int16)
            best = np.minimum(best, np.abs(here - there).max(axis=1))
            low, high = np.minimum(low, there), np.maximum(high, there)
    return best > TOLERANCE + OF_CONTRAST * (high - low).max(axis=1)


def _grown(mask, by):
    for _ in range(by):
        padded = np.pad(mask, 1)
        mask = padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:] | mask
    return mask


def compare(got, reference):
    """Two half-sized pictures. Returns ('' or what differs, the points that do)."""
    if got.shape != reference.shape:
        size = '{1}x{0}'.format
        return f'it is {size(*(2 * n for n in got.shape))}, the reference {size(*(2 * n for n in reference.shape))}', None
    left_out = _grown((got == MAGENTA).all(axis=2) | (reference == MAGENTA).all(axis=2), 2)
    # Most points have their like in the same place.
    wrong = (np.abs(got.astype(np.int16) - reference).max(axis=2) > TOLERANCE) & ~left_out
    ys, xs = np.nonzero(wrong)
    wrong[ys, xs] = _without_like(got, reference, ys, xs) | _without_like(reference, got, ys, xs)
    # How many lie in the square that begins at each point.
    sums = np.pad(wrong, ((1, SQUARE), (1, SQUARE))).astype(np.int32).cumsum(axis=0).cumsum(axis=1)
    squares = sums[SQUARE:, SQUARE:] - sums[:-SQUARE, SQUARE:] - sums[SQUARE:, :-SQUARE] + sums[:-SQUARE, :-SQUARE]
    most = int(squares.max())
    if most < TOO_MANY:
        return '', wrong
    ys, xs = np.nonzero(squares >= TOO_MANY)
    return (f'differs from x={2 * xs.min()} y={2 * ys.min()} to x={min(2 * (xs.max() + SQUARE), 2 * got.shape[1])} y={min(2 * (ys.max() + SQUARE), 2 * got.shape[0])}'
            f' ({int(wrong.sum())} of {wrong.size} points)'), wrong


def side_by_side(got, reference, wrong):
    """What there is, what was expected, and what differs, in one picture."""
    height = max(got.shape[0], reference.shape[0])

    def tall(picture):
        return np.pad(picture, ((0, height - picture.shape[0]), (4, 4), (0, 0)), constant_values=128)
    parts = [tall(got), tall(reference)]
    if wrong is not None:
        difference = (got // 4 + 16).astype(np.uint8)
        difference[_grown(wrong, 1)] = (255, 96, 96)
        difference[(got == MAGENTA).all(axis=2) | (reference == MAGENTA).all(axis=2)] = (64, 32, 64)
        parts.append(tall(difference))
    return np.concatenate(parts, axis=1)
