"""A scene as SVG: the board with its tiles, scenery, bases and contacts, and the answers asked for with their reasons.

Tiles fully reached are bright, partly reached dim, those that need the roll for Difficult Terrain hatched. Sight is
drawn as the view to each enemy, solid for Clear, dashed for Obscured, dotted for Blocked, so that it reads without
colour. One inch is 24 units; below the board every answer is given in words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from emberboard.engine.plane.approach import engage
from emberboard.engine.plane.nearest import nearest_place
from emberboard.engine.plane.paths import NoPath, Path, path_to
from emberboard.engine.plane.reach import Reach, Reached, reach
from emberboard.engine.plane.scene import Model, Piece, Plane, Terrain
from emberboard.engine.plane.scenefile import Picture
from emberboard.engine.plane.sight import Sight, View, cover, sight
from emberboard.engine.plane.stops import Stop, stop_along
from emberboard.engine.plane.straight import move_away, push
from emberboard.engine.plane.surround import surrounded
from emberboard.engine.plane.units import INCH, Point, inches

UNIT = 24
LINE = 16
_SIDES = ("#1f6f8b", "#b5482f", "#5b7f3a", "#7a4f9a")
_FILLS = (
    (Terrain.GAP, "#2b2b33"),
    (Terrain.IMPASSABLE, "#8d8578"),
    (Terrain.DEADLY, "#e08a5b"),
    (Terrain.DENSE, "#7fa878"),
    (Terrain.DIFFICULT, "#d9cf9f"),
    (Terrain.BARRIER, "#b39b7d"),
    (Terrain.AREA, "#e4e0c8"),
    (Terrain.OPEN, "#d5cfc2"),
)
_SIGHTS = {
    Sight.CLEAR: ("#2c8c3c", ""),
    Sight.OBSCURED: ("#c98a12", "7 4"),
    Sight.BLOCKED: ("#b03030", "2 4"),
}


def u(value: float) -> str:
    """Thousandths as drawing units."""
    return f"{value * UNIT / INCH:.2f}".rstrip("0").rstrip(".")


def svg(plane: Plane, pictures: Sequence[Picture] = (), title: str = "") -> str:
    """The drawing of a scene with the answers asked for. Raises PlaneError when an answer cannot be asked."""
    under: list[str] = []
    over: list[str] = []
    words: list[str] = []
    for picture in pictures:
        _picture(plane, picture, under, over, words)
    width, height = plane.scene.width, plane.scene.height
    top = 34
    lines = [line for text in words for line in _wrap(text, max(40, round(width / INCH * 3.4)))]
    tall = height * UNIT / INCH + top + 20 + LINE * len(lines) + 12
    wide = width * UNIT / INCH + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{tall:.0f}" '
        f'viewBox="-20 -{top} {wide:.0f} {tall:.0f}" font-family="sans-serif">',
        "<defs>"
        '<pattern id="slow" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<path d="M0 0 V6" stroke="#6f9fd8" stroke-width="2.5"/></pattern></defs>',
        f'<rect x="-20" y="-{top}" width="{wide:.0f}" height="{tall:.0f}" fill="#ffffff"/>',
        f'<text x="0" y="-12" font-size="15" font-weight="bold">{escape(title)}</text>',
        f'<rect width="{u(width)}" height="{u(height)}" fill="#f6f2e7" stroke="#333"/>',
    ]
    out += _grid(plane) + under
    out += [_piece(piece) for piece in plane.scene.pieces]
    out += _lights(plane)
    out += [
        f'<circle cx="{u(m.at.x)}" cy="{u(m.at.y)}" r="{u(m.radius)}" fill="{"#caa53d" if m.solid else "none"}" '
        f'stroke="#6b5310"/>{_label(m.at, m.id, 9)}'
        for m in plane.scene.markers
    ]
    sides = list(dict.fromkeys(m.side for m in plane.scene.models))
    out += [_model(m, _SIDES[sides.index(m.side) % len(_SIDES)]) for m in plane.scene.models]
    out += _contacts(plane) + over
    y = height * UNIT / INCH + 22
    for line in lines:
        out.append(f'<text x="0" y="{y:.0f}" font-size="12">{escape(line)}</text>')
        y += LINE
    return "\n".join([*out, "</svg>"]) + "\n"


def _wrap(text: str, room: int) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < room:
            lines[-1] += f" {word}"
        else:
            lines.append(("   " if lines else "") + word)
    return lines


def _grid(plane: Plane) -> list[str]:
    out = []
    for x in range(INCH, plane.scene.width, INCH):
        shade = "#cfc6b0" if x % (6 * INCH) == 0 else "#e6dfcd"
        out.append(f'<path d="M{u(x)} 0 V{u(plane.scene.height)}" stroke="{shade}" stroke-width="0.7"/>')
    for y in range(INCH, plane.scene.height, INCH):
        shade = "#cfc6b0" if y % (6 * INCH) == 0 else "#e6dfcd"
        out.append(f'<path d="M0 {u(y)} H{u(plane.scene.width)}" stroke="{shade}" stroke-width="0.7"/>')
    for n in range(0, plane.scene.width // INCH, 6):
        out.append(f'<text x="{u(n * INCH)}" y="-2" font-size="8" fill="#777">{n}</text>')
    for n in range(0, plane.scene.height // INCH, 6):
        out.append(f'<text x="-14" y="{u(n * INCH + 300)}" font-size="8" fill="#777">{n}</text>')
    return out


def _piece(piece: Piece) -> str:
    fill = next((colour for kind, colour in _FILLS if piece.has(kind)), "#dddddd")
    points = " ".join(f"{u(p.x)},{u(p.y)}" for p in piece.shape)
    dash = ' stroke-dasharray="4 3"' if piece.flat else ""
    x = sum(p.x for p in piece.shape) / len(piece.shape)
    y = sum(p.y for p in piece.shape) / len(piece.shape)
    size = f" {inches(piece.height)}″" if piece.height else f" -{inches(piece.depth)}″" if piece.depth else ""
    ink = "#fff" if piece.gap else "#222"
    return (
        f'<polygon points="{points}" fill="{fill}" fill-opacity="0.75" stroke="#4a4438"{dash}>'
        f"<title>{escape(piece.id)}: {', '.join(piece.kinds)}</title></polygon>"
        f'<text x="{u(x)}" y="{u(y)}" font-size="9" text-anchor="middle" fill="{ink}">{escape(piece.id + size)}</text>'
    )


def _label(at: Point, text: str, size: int) -> str:
    return (
        f'<text x="{u(at.x)}" y="{u(at.y + 110)}" font-size="{size}" text-anchor="middle" '
        f'fill="#111">{escape(text)}</text>'
    )


def _model(model: Model, colour: str) -> str:
    dash = ' stroke-dasharray="3 2"' if model.hidden or model.ethereal else ""
    level = f"<tspan font-size='7'> +{inches(model.level)}</tspan>" if model.level else ""
    return (
        f'<circle cx="{u(model.at.x)}" cy="{u(model.at.y)}" r="{u(model.radius)}" fill="{colour}" fill-opacity="0.35" '
        f'stroke="{colour}" stroke-width="1.6"{dash}><title>{escape(model.id)}, {escape(model.side)}</title></circle>'
        f'<text x="{u(model.at.x)}" y="{u(model.at.y + 110)}" font-size="8" text-anchor="middle">'
        f"{escape(model.id)}{level}</text>"
    )


def _lights(plane: Plane) -> list[str]:
    out = []
    for light in plane.scene.lights:
        bearer = plane.models.get(light.bearer)
        at = light.at or (bearer.at if bearer is not None else None)
        if at is not None:
            r = light.radius + (bearer.radius if bearer is not None and light.at is None else 0)
            out.append(
                f'<circle cx="{u(at.x)}" cy="{u(at.y)}" r="{u(r)}" fill="#ffe9a0" fill-opacity="0.4" stroke="#d9b64a"/>'
            )
    return out


def _contacts(plane: Plane) -> list[str]:
    out = []
    for contact in plane.scene.contacts:
        a, b = plane.models.get(contact.a), plane.models.get(contact.b)
        if a is not None and b is not None:
            share = a.radius / (a.radius + b.radius)
            x, y = a.at.x + (b.at.x - a.at.x) * share, a.at.y + (b.at.y - a.at.y) * share
            out.append(f'<circle cx="{u(x)}" cy="{u(y)}" r="3" fill="#111"><title>contact</title></circle>')
    return out


def _picture(plane: Plane, picture: Picture, under: list[str], over: list[str], words: list[str]) -> None:
    model = plane.model(picture.model)
    if picture.reach is not None:
        field = reach(plane, model, picture.reach, picture.slow)
        under += _reach(field)
        words.append(_reach_words(field))
    for limit in picture.ranges:
        over.append(
            f'<circle cx="{u(model.at.x)}" cy="{u(model.at.y)}" r="{u(model.radius + limit)}" fill="none" '
            f'stroke="#555" stroke-dasharray="1 3"/>'
            f'<text x="{u(model.at.x)}" y="{u(model.at.y - model.radius - limit - 80)}" font-size="8" '
            f'text-anchor="middle">{inches(limit)}″ from the edge</text>'
        )
    if picture.sight:
        for enemy in plane.enemies(model):
            view = sight(plane, model, enemy)
            over.append(_sight(model, enemy, view))
            words.append(_sight_words(plane, view))
    allowance = picture.allowance
    if picture.to is not None:
        found = path_to(plane, model, picture.to)
        stop = None if isinstance(found, NoPath) or allowance is None else stop_along(plane, model, found, allowance)
        _way(found, stop, model, over, words, f"to {inches(picture.to.x)}, {inches(picture.to.y)}")
    if picture.engage:
        move = engage(plane, model, picture.engage, 10**6 if allowance is None else allowance)
        if isinstance(move, NoPath):
            _way(move, None, model, over, words, f"into contact with {picture.engage}")
        else:
            _way(move.path, move.stop, model, over, words, f"into contact with {picture.engage}")
            stopped = f", stopped by {move.stopped_by} (LT-ADVERS-08)" if move.stopped_by else ""
            words.append(f"   in contact: {'yes' if move.reached else 'no'}{stopped}; ties: {len(move.ties)}")
    if picture.push_from:
        done = push(plane, model.id, picture.push_from, picture.length or 0)
        over.append(_straight(model.at, done.way.end, model.radius, "#7a2fb0"))
        end = f"falls over {done.falls_into}" if done.falls_into else done.way.stopped_by or "nothing in the way"
        words.append(
            f"{model.id} pushed {inches(picture.length or 0)}″ from {picture.push_from}: {inches(done.way.length)}″, "
            f"{end}{', Staggered' if done.staggered else ''}"
        )
    if picture.away_from:
        away = move_away(plane, model, picture.away_from, picture.length or 0)
        for way in away.ways:
            for part in way:
                over.append(_straight(part.start, part.end, model.radius, "#7a2fb0"))
        told = " or ".join(
            " then ".join(f"{inches(p.length)}″" + (f" to {p.stopped_by}" if p.stopped_by else "") for p in way)
            for way in away.ways
        )
        words.append(f"{model.id} away from {picture.away_from}: {told}")
    if picture.place_near is not None:
        spots = nearest_place(plane, model, picture.place_near)
        for spot in spots.places:
            over.append(_ghost(spot, model.radius, "#0a7d6c"))
        why = ", ".join(dict.fromkeys(h.id for h in spots.hindered_by)) or "nothing"
        at = "; ".join(_at(p) for p in spots.places[:4]) or "nowhere"
        at += f" and {len(spots.places) - 4} more" if len(spots.places) > 4 else ""
        words.append(f"{model.id} placed nearest to {_at(picture.place_near)}: {at}; hindered there by {why}")
    if picture.surrounded:
        answer = surrounded(plane, model)
        gaps = "; ".join(
            f"{o.a} to {o.b} {o.angle / 1000:.1f}°, {inches(o.width)}″ {'open' if o.open else 'shut'}"
            for o in answer.openings
        )
        words.append(
            f"{model.id} Surrounded: {'yes' if answer.surrounded else 'no'} ({answer.rule}); touching "
            f"{', '.join(answer.touching) or 'nobody'}; held by {', '.join(answer.blockers) or 'nothing'}; {gaps}"
        )


def _at(point: Point) -> str:
    return f"{inches(point.x)}, {inches(point.y)}"


def _reach(field: Reach) -> list[str]:
    out = []
    for tile in field.tiles:
        opacity = 0.75 if tile.reached is Reached.FULLY else 0.35
        place = f'x="{tile.x * UNIT}" y="{tile.y * UNIT}" width="{UNIT}" height="{UNIT}"'
        told = f"{tile.reached}, {inches(tile.length)}″" + (
            f", centre {inches(tile.centre)}″" if tile.centre >= 0 else ""
        )
        out.append(f'<rect {place} fill="#9cc4ee" fill-opacity="{opacity}"><title>{told}</title></rect>')
        if tile.slow:
            out.append(f'<rect {place} fill="url(#slow)"/>')
        if tile.centre >= 0:
            out.append(f'<circle cx="{tile.x * UNIT + 12}" cy="{tile.y * UNIT + 12}" r="1.3" fill="#1d4f86"/>')
    return out


def _reach_words(field: Reach) -> str:
    full = sum(tile.reached is Reached.FULLY for tile in field.tiles)
    slow = "" if field.slow_allowance is None else f", {inches(field.slow_allowance)}″ through Difficult Terrain"
    return (
        f"{field.model} reaches {full} tiles fully and {len(field.tiles) - full} partly "
        f"with {inches(field.allowance)}″{slow}"
    )


def _sight(own: Model, other: Model, view: View) -> str:
    colour, dash = _SIGHTS[view.sight]
    dx, dy = other.at.x - own.at.x, other.at.y - own.at.y
    far = math.hypot(dx, dy)
    if far <= other.radius:
        return ""
    half, middle = math.asin(other.radius / far), math.atan2(dy, dx)
    reach_to = math.sqrt(far * far - other.radius**2)
    edges = ""
    for sign in (1, -1):
        x = own.at.x + reach_to * math.cos(middle + sign * half)
        y = own.at.y + reach_to * math.sin(middle + sign * half)
        edges += f"M{u(own.at.x)} {u(own.at.y)} L{u(x)} {u(y)} "
    style = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{edges}" stroke="{colour}" stroke-width="1.3" fill="none"{style}/>'


def _sight_words(plane: Plane, view: View) -> str:
    by = ", ".join(f"{o.id} {o.effect} {o.share / 10:g}% ({o.rule})" for o in view.obstructions) or "nothing between"
    shade = cover(plane, view)
    told = f"; Cover ({shade.rule})" if shade.cover else f"; leans on {shade.leaning}" if shade.leaning else ""
    return (
        f"{view.viewer} sees {view.target}: {view.sight.upper()} ({view.rule}); {by}; free {view.free / 10:g}%{told}"
    )


def _ghost(at: Point, radius: int, colour: str) -> str:
    return (
        f'<circle cx="{u(at.x)}" cy="{u(at.y)}" r="{u(radius)}" fill="none" stroke="{colour}" stroke-width="1.5" '
        f'stroke-dasharray="3 2"/>'
    )


def _straight(start: Point, end: Point, radius: int, colour: str) -> str:
    line = f'<path d="M{u(start.x)} {u(start.y)} L{u(end.x)} {u(end.y)}" stroke="{colour}" stroke-width="2"/>'
    return line + _ghost(end, radius, colour)


def _way(path: Path | NoPath, stop: Stop | None, model: Model, over: list[str], words: list[str], aim: str) -> None:
    if isinstance(path, NoPath):
        blockers = ", ".join(path.blockers) or "nothing named"
        words.append(f"{model.id} {aim}: no way, {path.why} ({blockers})")
        return
    d = f"M{u(path.start.x)} {u(path.start.y)}"
    for leg in path.legs:
        if leg.centre is None:
            d += f" L{u(leg.end.x)} {u(leg.end.y)}"
        else:
            r = math.dist((leg.centre.x, leg.centre.y), (leg.end.x, leg.end.y))
            d += f" A{u(r)} {u(r)} 0 0 {0 if leg.clockwise else 1} {u(leg.end.x)} {u(leg.end.y)}"
    over.append(f'<path d="{d}" stroke="#12326b" stroke-width="2" fill="none"/>')
    over.append(_ghost(path.end, model.radius, "#12326b"))
    told = f"{model.id} {aim}: {inches(path.length)}″ (straight {inches(path.straight)}″)"
    if path.around:
        told += f" around {', '.join(path.around)}"
    for crossing in path.crossings:
        told += f"; {crossing.piece} from {inches(crossing.enter)} to {inches(crossing.leave)}"
    for touch in path.touches:
        told += f"; touches {touch.id} at {inches(touch.at)}"
    if stop is not None:
        over.append(f'<circle cx="{u(stop.at.x)}" cy="{u(stop.at.y)}" r="3.5" fill="#12326b"/>')
        told += f"; stops at {_at(stop.at)} after {inches(stop.length)}″"
        if stop.hindered_by:
            told += f" (no room further on: {', '.join(stop.hindered_by)})"
    words.append(told)
