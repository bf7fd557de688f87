// The tags of an email as a browser's tokenizer finds them, also those that its tree has no use for, each with its place in
// the source.
import { type DefaultTreeAdapterMap, Parser, type Token } from "parse5"

export interface Tag {
  readonly kind: "start" | "end"
  readonly name: string
  readonly from: number
  readonly to: number
  readonly attributes: ReadonlyArray<TagAttribute>
  /** No end belongs to it. */
  readonly isVoid: boolean
}

export interface TagAttribute {
  readonly name: string
  /** Its references decoded. */
  readonly value: string
  readonly from: number
  readonly to: number
}

/** In the order of the source. Scripts are off: there is nothing to run them. */
export const readTags = (html: string): ReadonlyArray<Tag> => {
  const reader = new TagReader()
  reader.tokenizer.write(html, true)
  return reader.tags
}

/** The library's parser, watched: its tree builder switches the tokenizer as the standard demands. */
class TagReader extends Parser<DefaultTreeAdapterMap> {
  readonly tags: Array<Tag> = []

  constructor() {
    super({ sourceCodeLocationInfo: true, scriptingEnabled: false })
  }

  override onStartTag(token: Token.TagToken): void {
    const { tagName: name, location } = token
    const attributes = token.attrs.flatMap((attribute) => {
      const place = location?.attrs?.[attribute.name]
      return place === undefined ? [] : [{ ...attribute, from: place.startOffset, to: place.endOffset }]
    })
    super.onStartTag(token)
    if (location === null) return
    const { startOffset: from, endOffset: to } = location
    this.tags.push({ kind: "start", name, from, to, attributes, isVoid: token.selfClosing && token.ackSelfClosing })
  }

  override onEndTag(token: Token.TagToken): void {
    const { tagName: name, location } = token
    super.onEndTag(token)
    if (location === null) return
    this.tags.push({
      kind: "end",
      name,
      from: location.startOffset,
      to: location.endOffset,
      attributes: [],
      isVoid: true,
    })
  }
}
