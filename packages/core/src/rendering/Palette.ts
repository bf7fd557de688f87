// Readable colours for any brand colour: WCAG's contrast of 4.5 to 1 on and under text, in light and dark schemes.

export interface Palette {
  /** The brand colour, `#rrggbb`, as a background or an ornament, and the text colour on it. */
  readonly own: string
  readonly onOwn: string
  /** The accent on a light background, and the text colour on it. */
  readonly accent: string
  readonly onAccent: string
  /** The same for dark schemes. */
  readonly accentDark: string
  readonly onAccentDark: string
}

/** The colour of a brand without one. */
export const usual_color = "#1d4ed8"

export const paper = "#ffffff"
export const night = "#0f1419"
/** A tinted background: a little closer to the text colour than the plain one. */
export const softPaper = "#f4f6f8"
export const softNight = "#182029"

const contrast_min = 4.5

/** The palette of a colour `#rgb` or `#rrggbb`; that of `otherwise` for null or anything else. */
export const paletteOr = (color: string | null, otherwise: string): Palette => {
  const rgb = parse(color ?? "") ?? parseOwn(otherwise)
  const accent = towards(rgb, black, (candidate) => contrast(candidate, parseOwn(softPaper)) >= contrast_min)
  const accentDark = towards(rgb, white, (candidate) => contrast(candidate, parseOwn(softNight)) >= contrast_min)
  return {
    own: spell(rgb),
    onOwn: textOn(rgb),
    accent: spell(accent),
    onAccent: textOn(accent),
    accentDark: spell(accentDark),
    onAccentDark: textOn(accentDark),
  }
}

export const accents = ["#0f766e", "#1d4ed8", "#7c3aed", "#b45309", "#be123c", "#15803d", "#0369a1", "#a21caf"] as const

type Rgb = readonly [number, number, number]

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

const parse = (text: string): Rgb | null => {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text.trim())
  const whole = short === null ? text.trim() : `#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}`
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(whole)
  if (digits === null) return null
  const part = (at: number) => Number.parseInt(digits[at] ?? "0", 16)
  return [part(1), part(2), part(3)]
}

const parseOwn = (text: string): Rgb => parse(text) ?? black

const spell = (rgb: Rgb): string => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`

const mixed = (from: Rgb, to: Rgb, share: number): Rgb => {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share)
  return [part(0), part(1), part(2)]
}

/** The first sufficient colour between the two. The last one always is. */
const towards = (from: Rgb, to: Rgb, enough: (candidate: Rgb) => boolean): Rgb => {
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mixed(from, to, share)
    if (enough(candidate)) return candidate
  }
  return to
}

const textOn = (rgb: Rgb): string => (contrast(rgb, white) >= contrast(rgb, black) ? paper : "#000000")

/** Relative luminance and contrast as WCAG 2.2 defines them. */
const luminance = (rgb: Rgb): number => {
  const linear = (part: number) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
}

const contrast = (one: Rgb, other: Rgb): number => {
  const [light, dark] = [luminance(one), luminance(other)].sort((left, right) => right - left)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

/** The contrast of two colours in the notation above, for tests. @public */
export const contrastOf = (one: string, other: string): number => contrast(parseOwn(one), parseOwn(other))
