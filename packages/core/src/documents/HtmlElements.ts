// The elements of a parsed HTML document.
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

export const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value
