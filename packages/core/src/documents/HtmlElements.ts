// The elements of a parsed HTML document, and edits of its source.
import type { DefaultTreeAdapterMap } from "parse5"

export type Node = DefaultTreeAdapterMap["node"]
export type Element = DefaultTreeAdapterMap["element"]

/** All elements in document order, contents of `<template>` included. Iterative, because authors decide the depth. */
export const elements = (root: Node): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  const open: Array<Node> = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("tagName" in node) found.push(node)
    const children = "childNodes" in node ? node.childNodes : []
    for (const child of [...children].reverse()) open.push(child)
    if ("content" in node) open.push(node.content)
  }
  return found
}

/** An attribute's value; empty when it is missing. */
export const attribute = (element: Element, name: string): string =>
  element.attrs.find((each) => each.name === name)?.value ?? ""

/** The text directly in an element. */
export const textOf = (element: Element): string =>
  element.childNodes.map((child) => ("value" in child ? child.value : "")).join("")

/** Replaces the text from `from` to before `to`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The source with edits that do not overlap. All other text stays the same byte for byte. */
export const edited = (source: string, edits: ReadonlyArray<Edit>): string => {
  let text = ""
  let at = 0
  for (const edit of edits.toSorted((left, right) => left.from - right.from || left.to - right.to)) {
    text += source.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return text + source.slice(at)
}
