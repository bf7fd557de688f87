// The CSS sanitiser of pages and emails. It reads CSS as the tokens that browsers read, cuts out what loads style sheets,
// what loads from forbidden addresses and what can run code, and leaves all other text as it is. Without recursion, because
// authors decide the depth.
import { type CSSToken, tokenizer, TokenType } from "@csstools/css-tokenizer"
import { Unclean } from "@tentpole/core/documents/Clean"
import { cssDangersOf } from "@tentpole/core/documents/CssDangers"
import { edited } from "@tentpole/core/documents/HtmlElements"
import { words } from "./HtmlBounds.ts"

/** Larger style sheets, and malformed ones, are refused: they would occupy the process. */
export const css_length_max = 2 ** 20
export const css_depth_max = 200
export const css_syntax_errors_max = 1_000

/** The limit on passes. A cut can join two harmless texts. */
const passes_max = 5

export interface Cut {
  readonly from: number
  readonly to: number
  readonly text: ""
}

/** Which addresses CSS may load from. */
export type AddressRule = (address: string) => boolean

/** A style sheet, or the declarations of a `style` attribute, without its dangers. Throws `Unclean`. */
export const cleanCss = (css: string, isAllowed: AddressRule): string => {
  let cleaned = css
  for (let pass = 0; pass < passes_max; pass++) {
    const cuts = cssCuts(cleaned, isAllowed)
    if (cuts.length === 0) return cleaned
    cleaned = edited(cleaned, cuts)
  }
  return ""
}

/** The parts of CSS to cut, in order and apart; all of it when the check of the result still finds a danger. Throws `Unclean`. */
export const cssCuts = (css: string, isAllowed: AddressRule): ReadonlyArray<Cut> => {
  if (css.length > css_length_max) throw new Unclean({ reason: `has more than ${css_length_max / 2 ** 20} MB of CSS` })
  const cuts = new CssReader(css, isAllowed).read()
  return cssDangersOf(edited(css, cuts)).length === 0 ? cuts : [{ from: 0, to: css.length, text: "" }]
}

/** An attribute with a value in CSS, without its dangers; null: it must be removed. Throws `Unclean`. */
export const cleanCssAttribute = (name: string, value: string, isAllowed: AddressRule): string | null => {
  if (name === "style") return cleanCss(value, isAllowed)
  return drawings.has(name) && cssCuts(`${name}:${value}`, isAllowed).length > 0 ? null : value
}

/** An address without a scheme, of the web, or of a picture or a font inside the CSS; `cid:` is a picture of the message. */
export const isEmailCssAddress: AddressRule = (address) => {
  const scheme = schemeOf(address)
  return scheme === null || ["http", "https", "cid"].includes(scheme) || isEmbedded(address)
}

/** A page loads nothing from other hosts. */
export const isPageCssAddress: AddressRule = (address) =>
  schemeOf(address) === null ? !/^[\\/]{2}/.test(withoutBlanks(address)) : isEmbedded(address)

const isEmbedded = (address: string): boolean => /^data:(?:image|font|application\/(?:x-)?font)/i.test(address.trim())

/** Browsers ignore white space and control characters in front of and inside a scheme. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const withoutBlanks = (address: string): string => address.replace(/[\u0000-\u0020\u007f-\u00a0]/g, "")

const schemeOf = (address: string): string | null =>
  /^([a-z][a-z0-9+.-]*):/i.exec(withoutBlanks(address).slice(0, 100))?.[1]?.toLowerCase() ?? null

/** Functions whose strings are addresses. */
const loaders = new Set(["url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade"])

const forbiddenFunctions = new Set(["expression"])
/** Properties that name a drawing of the same document. A drawing of another one could contain anything. */
const drawings = new Set(
  words("fill stroke filter backdrop-filter clip-path marker marker-start marker-mid marker-end"),
)

const forbiddenProperties = new Set(["-moz-binding", "-o-link", "-o-link-source"])

/** A block that is open: `{`, `(` or `[`, or the whole text. */
interface Block {
  readonly end: "}" | ")" | "]" | null
  /** The function's name, in lower case. */
  readonly name: string
  /** The start of the current declaration or rule. */
  from: number
  /** The name of the current declaration, as far as it has been read. */
  property: string | null
  isDangerous: boolean
}

class CssReader {
  readonly #css: string
  readonly #isAllowed: AddressRule
  readonly #cuts: Array<Cut> = []
  readonly #root = newBlock(null, "", 0)
  readonly #blocks: Array<Block> = [this.#root]
  /** The blocks that contain declarations or rules: the text and `{`. */
  readonly #statements: Array<Block> = [this.#root]
  #errors_count = 0

  constructor(css: string, isAllowed: AddressRule) {
    this.#css = css
    this.#isAllowed = isAllowed
  }

  read(): ReadonlyArray<Cut> {
    const reader = tokenizer(
      { css: this.#css },
      {
        onParseError: () => {
          if (++this.#errors_count > css_syntax_errors_max) throw new Unclean({ reason: "has malformed CSS" })
        },
      },
    )
    while (!reader.endOfFile()) this.#add(reader.nextToken())
    for (const block of this.#statements) this.#close(block, this.#css.length)
    return joined(this.#cuts)
  }

  #add(token: CSSToken): void {
    const end = token[3] + 1
    const block = this.#blocks.at(-1) ?? this.#root
    switch (token[0]) {
      case TokenType.OpenCurly:
        return this.#open("}", "", end)
      case TokenType.OpenParen:
        return this.#open(")", "", end)
      case TokenType.OpenSquare:
        return this.#open("]", "", end)
      case TokenType.Function: {
        const name = token[4].value.toLowerCase()
        if (forbiddenFunctions.has(name)) this.#forbid()
        return this.#open(")", name, end)
      }
      case TokenType.CloseCurly:
        if (block.end !== "}") return
        this.#close(block, token[2])
        this.#blocks.pop()
        this.#statements.pop()
        // A rule ends with its block.
        return this.#close(this.#statement(), end)
      case TokenType.CloseParen:
      case TokenType.CloseSquare:
        if (block.end === token[1]) this.#blocks.pop()
        return
      case TokenType.Semicolon:
        if (block.end === null || block.end === "}") this.#close(block, end)
        return
      case TokenType.Comment:
        if (cssDangersOf(token[1].slice(2)).length > 0) this.#cuts.push({ from: token[2], to: end, text: "" })
        return
      default:
        if (this.#isForbidden(token, block)) this.#forbid()
    }
  }

  #isForbidden(token: CSSToken, block: Block): boolean {
    switch (token[0]) {
      case TokenType.AtKeyword:
        return token[4].value.toLowerCase() === "import"
      case TokenType.URL:
        return !this.#isLoadable(token[4].value)
      case TokenType.String: {
        const { value } = token[4]
        // The string of a custom property can become an address through `var()`.
        const isAddress = loaders.has(block.name) || this.#statement().property?.startsWith("--") === true
        return (isAddress && !this.#isLoadable(value)) || cssDangersOf(value).length > 0
      }
      case TokenType.Ident: {
        const name = token[4].value.toLowerCase()
        this.#statement().property ??= name
        return forbiddenProperties.has(name) || (name === "behavior" && isProgram(this.#css.slice(token[3] + 1)))
      }
      // Browsers ignore such a declaration, but the check of the result does not.
      case TokenType.BadURL:
      case TokenType.BadString:
        return cssDangersOf(token[1]).length > 0
      default:
        return false
    }
  }

  #isLoadable(address: string): boolean {
    return drawings.has(this.#statement().property ?? "") ? address.trim().startsWith("#") : this.#isAllowed(address)
  }

  #open(end: "}" | ")" | "]", name: string, from: number): void {
    if (this.#blocks.length === css_depth_max)
      throw new Unclean({ reason: `nests its CSS deeper than ${css_depth_max} levels` })
    const block = newBlock(end, name, from)
    this.#blocks.push(block)
    if (end === "}") this.#statements.push(block)
  }

  /** The block whose declaration or rule is being read. */
  #statement(): Block {
    return this.#statements.at(-1) ?? this.#root
  }

  #forbid(): void {
    this.#statement().isDangerous = true
  }

  /** Ends the current declaration or rule, and cuts it when it is dangerous. */
  #close(block: Block, to: number): void {
    if (block.isDangerous) this.#cuts.push({ from: block.from, to, text: "" })
    block.from = to
    block.property = null
    block.isDangerous = false
  }
}

const newBlock = (end: Block["end"], name: string, from: number): Block => ({
  end,
  name,
  from,
  property: null,
  isDangerous: false,
})

/** Whether `behavior` names anything but Outlook's drawing engine. */
const isProgram = (rest: string): boolean => /^\s*:(?!\s*url\(\s*["']?#)/i.test(rest)

/** Cuts in order, without those inside others. */
const joined = (cuts: ReadonlyArray<Cut>): ReadonlyArray<Cut> => {
  const apart: Array<Cut> = []
  for (const cut of cuts.toSorted((left, right) => left.from - right.from || right.to - left.to)) {
    if (cut.from >= (apart.at(-1)?.to ?? 0)) apart.push(cut)
  }
  return apart
}
