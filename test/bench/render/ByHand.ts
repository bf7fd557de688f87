// The reference, a simple renderer: for every recipient it parses the HTML, fills tokens and signs links in the tree, serializes
// the tree, and lets nodemailer compose the message.
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import MailComposer from "nodemailer/lib/mail-composer"
import { defaultTreeAdapter, type DefaultTreeAdapterMap, parse, parseFragment, serialize } from "parse5"
import { domain, letter, type Person, sender, valueOf } from "./Letter.ts"

const pages = "https://pages.harbour.example"

export const renderByHand = (secret: string): ((person: Person) => Promise<Buffer>) => {
  const key = createSecretKey(Buffer.from(secret))
  return (person) => compose(person, key)
}

const compose = (person: Person, key: KeyObject): Promise<Buffer> => {
  const unsubscribe = address(key, person, "u")
  const composer = new MailComposer({
    from: { name: letter.fromName, address: letter.fromAddress },
    to: person.address,
    replyTo: letter.replyToEmail,
    subject: filled(letter.subject, person),
    messageId: `<${person.id}@${domain}>`,
    html: htmlFor(person, key, unsubscribe),
    text: `${filled(letter.text, person)}\n\n---\n${sender.workspaceName}\n${sender.postalAddress}\nUnsubscribe: ${unsubscribe}\n`,
    envelope: { from: `${address(key, person, "b").slice(-40)}@bounce.${domain}`, to: person.address },
    headers: {
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": `<${sender.workspaceId}.${domain}>`,
      "Feedback-ID": `${person.blastId}:${person.approvalId}:${sender.workspaceId}:tentpole`,
    },
  })
  return composer.compile().build()
}

const address = (key: KeyObject, { id }: Person, kind: string, index = 0): string => {
  const payload = `${sender.workspaceId}.${id}.${kind}.${index}`
  return `${pages}/${kind}/${payload}.${createHmac("sha256", key).update(payload).digest("base64url")}`
}

const filled = (text: string, person: Person): string =>
  text.replace(/\{\{\s*([\w.]+)(:\w+)?(?:\|([^}]*))?\s*\}\}/g, (_, name: string, format = "", fallback = "") => {
    const value = valueOf(person, name) ?? String(fallback)
    switch (format) {
      case ":uppercase":
        return value.toUpperCase()
      case ":capitalize":
        return value.replace(/^./u, (letter) => letter.toUpperCase())
      case ":titlecase":
        return value.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
      default:
        return value
    }
  })

type Node = DefaultTreeAdapterMap["node"]

const htmlFor = (person: Person, key: KeyObject, unsubscribe: string): string => {
  const document = parse(letter.html)
  let links = 0
  const walk = (node: Node): void => {
    if (defaultTreeAdapter.isTextNode(node)) node.value = filled(node.value, person)
    if (defaultTreeAdapter.isElementNode(node)) {
      for (const attribute of node.attrs) {
        attribute.value = filled(attribute.value, person)
        if (node.tagName === "a" && attribute.name === "href") attribute.value = address(key, person, "c", links++)
      }
    }
    if ("childNodes" in node) node.childNodes.forEach(walk)
    if (defaultTreeAdapter.isElementNode(node) && node.tagName === "body") {
      const appended = parseFragment(
        `<div>${sender.workspaceName}<br>${sender.postalAddress}<br><a href="${unsubscribe}">Unsubscribe</a></div><img src="${address(key, person, "o")}" width="1" height="1" alt="">`,
      )
      for (const child of appended.childNodes) defaultTreeAdapter.appendChild(node, child)
    }
  }
  walk(document)
  return serialize(document)
}
