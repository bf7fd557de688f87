// How a page of the fake looks: a few choices that go together, drawn from the prompt, so that two prompts rarely give the same
// page and one prompt always does.

export interface Look {
  readonly hero: "beside" | "below" | "colour"
  readonly cards: "grid" | "rows" | "bento"
  readonly art: "tiles" | "sunrise" | "hills"
  readonly headings: string
  readonly corners: { readonly small: string; readonly large: string; readonly button: string }
}

/** A generator of numbers from 0 to 1 (mulberry32). */
export const dice = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const pick = <A>(roll: () => number, first: A, ...others: ReadonlyArray<A>): A =>
  [first, ...others][Math.floor(roll() * (others.length + 1))] ?? first

const sans = `system-ui,-apple-system,"Segoe UI",Roboto,sans-serif`
const serif = `ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif`
const round = `ui-rounded,"SF Pro Rounded","Hiragino Maru Gothic ProN",Quicksand,Nunito,${sans}`

export const lookOf = (seed: number): Look => {
  const roll = dice(seed)
  return {
    hero: pick(roll, "beside", "below", "colour"),
    cards: pick(roll, "grid", "rows", "bento"),
    art: pick(roll, "tiles", "sunrise", "hills"),
    headings: pick(roll, sans, serif, round),
    corners: pick(
      roll,
      { small: ".6rem", large: "1.25rem", button: ".75rem" },
      { small: ".25rem", large: ".4rem", button: ".3rem" },
      { small: ".9rem", large: "2rem", button: "99rem" },
    ),
  }
}

/** A picture of plain shapes in the page's colours: nothing is fetched, and no two pages have the same. */
export const drawing = ({ art, hero }: Look, seed: number): string => {
  const roll = dice(seed ^ 0x9e3779b9)
  const wide = hero === "below"
  const [columns, rows] = wide ? [12, 4] : [6, 6]
  const shapes = { tiles, sunrise, hills }[art](columns, rows, roll)
  return `<svg class="art" viewBox="0 0 ${columns * side} ${rows * side}" preserveAspectRatio="xMidYMid slice" aria-hidden="true">${shapes}</svg>`
}

const side = 60

const tile = (kind: number, x: number, y: number, colour: number): string => {
  const [right, bottom, middle] = [x + side, y + side, side / 2]
  switch (kind) {
    case 0:
      return `<path class="t${colour}" d="M${x} ${y}H${right}A${side} ${side} 0 0 1 ${x} ${bottom}Z"/>`
    case 1:
      return `<path class="t${colour}" d="M${right} ${bottom}H${x}A${side} ${side} 0 0 1 ${right} ${y}Z"/>`
    case 2:
      return `<circle class="t${colour}" cx="${x + middle}" cy="${y + middle}" r="${middle - 8}"/>`
    case 3:
      return `<path class="t${colour}" d="M${x} ${bottom}L${right} ${y}V${bottom}Z"/>`
    case 4:
      return `<path class="t${colour}" d="M${x} ${y + middle}A${middle} ${middle} 0 0 1 ${right} ${y + middle}ZM${x} ${bottom}A${middle} ${middle} 0 0 1 ${right} ${bottom}Z"/>`
    default:
      return [0, 1, 2]
        .map((n) => `<rect class="t${colour}" x="${x}" y="${y + n * 20 + 4}" width="${side}" height="9"/>`)
        .join("")
  }
}

const tiles = (columns: number, rows: number, roll: () => number): string => {
  const drawn: Array<string> = []
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [x, y] = [column * side, row * side]
      const [ground, colour] = [Math.floor(roll() * 3), Math.floor(roll() * 5)]
      drawn.push(`<rect class="g${ground}" x="${x}" y="${y}" width="${side}" height="${side}"/>`)
      if (roll() < 0.85) drawn.push(tile(Math.floor(roll() * 6), x, y, colour))
    }
  }
  return drawn.join("")
}

const sunrise = (columns: number, rows: number, roll: () => number): string => {
  const [width, height] = [columns * side, rows * side]
  const [x, y] = [Math.round(width * (0.35 + roll() * 0.3)), Math.round(height * 0.72)]
  const rings_count = 6 + Math.floor(roll() * 3)
  const rings = Array.from({ length: rings_count }, (_, n) => {
    const radius = Math.round(((rings_count - n) / rings_count) * Math.max(width, height) * 0.62)
    return `<circle class="t${n % 5}" cx="${x}" cy="${y}" r="${radius}"/>`
  })
  const lines = Array.from({ length: 5 }, (_, n) => {
    const at = y + 6 + n * ((height - y) / 5)
    return `<rect class="g${n % 2}" x="0" y="${Math.round(at)}" width="${width}" height="${Math.round(4 + n * 2.5)}"/>`
  })
  return `<rect class="g0" width="${width}" height="${height}"/>${rings.join("")}<rect class="t0" x="0" y="${y}" width="${width}" height="${height - y}"/>${lines.join("")}`
}

const hills = (columns: number, rows: number, roll: () => number): string => {
  const [width, height] = [columns * side, rows * side]
  const ridge = (level: number, colour: number): string => {
    const waves = 3
    const step = width / waves
    const points = Array.from({ length: waves }, (_, n) => {
      const lift = Math.round(level - (20 + roll() * 55))
      const end = Math.round(level + (roll() - 0.5) * 36)
      return `S${Math.round(n * step + step * 0.55)} ${lift} ${Math.round((n + 1) * step)} ${end}`
    })
    return `<path class="t${colour}" d="M0 ${height}V${Math.round(level)}${points.join("")}V${height}Z"/>`
  }
  const sun = `<circle class="t1" cx="${Math.round(width * (0.2 + roll() * 0.6))}" cy="${Math.round(height * 0.28)}" r="${Math.round(height * 0.13)}"/>`
  const ridges = [0.5, 0.63, 0.76, 0.88].map((share, n) => ridge(height * share, [4, 3, 2, 0][n] ?? 0))
  return `<rect class="g0" width="${width}" height="${height}"/>${sun}${ridges.join("")}`
}
