// The tags of an email as a browser's tokenizer finds them, including those that the document tree drops, with their
// positions in the source.
import { limitedTree } from "@tentpole/core/documents/ParseHtml"
import { type DefaultTreeAdapterMap, Parser, type Token } from "parse5"

export interface Tag {
  readonly kind: "start" | "end"
  readonly name: string
  readonly from: number
  readonly to: number
  readonly attributes: ReadonlyArray<TagAttribute>
  readonly isVoid: boolean
}

export interface TagAttribute {
  readonly name: string
  /** With decoded character references. */
  readonly value: string
  readonly from: number
  readonly to: number
}

/** All tags in source order. Scripting is off: no script runs. */
export const readTags = (html: string): ReadonlyArray<Tag> => {
  const reader = new TagReader(html)
  reader.tokenizer.write(html, true)
  return reader.tags
}

/** The library's parser with an observed tokenizer: its tree builder switches tokenizer states as the standard demands. */
class TagReader extends Parser<DefaultTreeAdapterMap> {
  readonly tags: Array<Tag> = []

  constructor(html: string) {
    super({ sourceCodeLocationInfo: true, scriptingEnabled: false, treeAdapter: limitedTree(html) })
  }

  override onStartTag(token: Token.TagToken): void {
    const attributes = token.attrs.flatMap((attribute) => {
      const place = token.location?.attrs?.[attribute.name]
      return place === undefined ? [] : [{ ...attribute, from: place.startOffset, to: place.endOffset }]
    })
    super.onStartTag(token)
    this.add(token, { kind: "start", attributes, isVoid: token.selfClosing && token.ackSelfClosing })
  }

  override onEndTag(token: Token.TagToken): void {
    super.onEndTag(token)
    this.add(token, { kind: "end", attributes: [], isVoid: true })
  }

  add({ location, tagName: name }: Token.TagToken, tag: Pick<Tag, "kind" | "attributes" | "isVoid">): void {
    if (location !== null) this.tags.push({ ...tag, name, from: location.startOffset, to: location.endOffset })
  }
}
