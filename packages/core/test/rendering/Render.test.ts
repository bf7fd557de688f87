import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import PostalMime from "postal-mime"
import { decodeText } from "../../src/kernel/Bytes.ts"
import type { Contact } from "../../src/contacts/Contact.ts"
import { atOnce } from "../../contract/kernel/steps.ts"
import { compile, type CompiledEmail } from "../../src/rendering/Compile.ts"
import { toBytes } from "../../src/rendering/message/Dkim.ts"
import { oneLine } from "../../src/rendering/Escapes.ts"
import { plainText } from "../../src/rendering/PlainText.ts"
import { linkTarget, render, renderContent } from "../../src/rendering/Render.ts"
import {
  ada,
  addresses,
  AnyHtml,
  AnyText,
  approved,
  at,
  nasty,
  recipient,
  sender,
} from "../../contract/emails/emailSamples.ts"

const tracked = { operational: false, tracked: true, addresses }
const bare = { operational: true, tracked: false, addresses }

const withValue = (value: string): Contact => ({
  ...ada,
  firstName: value,
  lastName: value,
  company: value,
  email: value,
})

const message = (compiled: CompiledEmail, to = recipient()) => decodeText(toBytes(atOnce(render(compiled, to))))
const parsed = (compiled: CompiledEmail, to = recipient()) =>
  Effect.promise(() => PostalMime.parse(toBytes(atOnce(render(compiled, to)))))

/** Line breaks are CRLF on the wire, and the parser returns them as LF; UTF-8 has no lone surrogates. */
const received = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/\p{Cs}/gu, "\ufffd")
/** The parser ends every part with its own line break. */
const part = (text: string): string => `${received(text)}\n`

describe("Rendered message", () => {
  it.effect.prop(
    "parses into the same HTML, text, subject and names that were rendered",
    { html: AnyHtml, text: AnyText, subject: AnyText, value: AnyText, name: AnyText },
    ({ html, text, subject, value, name: anyName }) =>
      Effect.gen(function* () {
        const name = anyName.replaceAll("{{", "{")
        // Lone surrogates are refused everywhere. Two that meet would look like one character and be encoded as two.
        const email = approved({
          html: html.join("").toWellFormed(),
          text: `${text.toWellFormed()}{{contact.last_name}}`,
          subject: `${subject.toWellFormed()}{{contact.first_name}}`,
          fromName: name,
        })
        const compiled = compile(email, sender, tracked)
        const to = recipient({ contact: withValue(value.toWellFormed()) })
        const content = atOnce(renderContent(compiled, to))
        const mail = yield* parsed(compiled, to)
        assert.strictEqual(mail.html, part(content.html))
        assert.strictEqual(mail.text, part(content.text))
        assert.strictEqual(mail.subject ?? "", received(content.subject))
        assert.strictEqual(mail.from?.address, "news@example.test")
        assert.strictEqual(mail.from?.name ?? "", received(oneLine(name)).trim())
        assert.strictEqual(mail.attachments.length, 0)
      }),
    { arbitrary: { runs: 200 } },
  )

  it.prop(
    "has CRLF only, no line that is too long or begins with a dot, one final CRLF, and each header once",
    [AnyHtml, AnyText, AnyText],
    ([html, text, value]) => {
      const email = approved({
        html: html.join(""),
        text: text + "{{contact.first_name}}",
        subject: "{{contact.first_name}}",
        fromName: "{{contact.first_name}}",
      })
      const whole = message(compile(email, sender, tracked), recipient({ contact: withValue(value) }))
      assert.notMatch(whole, /\r(?!\n)|(?<!\r)\n/)
      assert.isTrue(whole.endsWith("\r\n") && !whole.endsWith("\r\n\r\n"))
      assert.match(whole, /^[\t\x20-\x7e\r\n]*$/)
      for (const line of whole.split("\r\n")) {
        assert.isAtMost(line.length, 78)
        assert.notMatch(line, /^\.|^From |(?<!^Subject:)[ \t]$/)
      }
      const head = whole.slice(0, whole.indexOf("\r\n\r\n")).split(/\r\n(?![ \t])/)
      const names = head.map((line) => line.slice(0, line.indexOf(":")))
      assert.deepStrictEqual(names, [
        "From",
        "To",
        "Reply-To",
        "Subject",
        "Date",
        "Message-ID",
        "List-Unsubscribe",
        "List-Unsubscribe-Post",
        "List-Id",
        "Feedback-ID",
        "MIME-Version",
        "Content-Type",
      ])
    },
    { tags: ["attack/smtp-smuggling"], arbitrary: { runs: 200 } },
  )

  it.prop("is the same, byte for byte, for the same input", [AnyHtml, AnyText], ([html, value]) => {
    const of = () =>
      atOnce(
        render(compile(approved({ html: html.join("") }), sender, tracked), recipient({ contact: withValue(value) })),
      )
    assert.deepStrictEqual(of(), of())
  })

  it("has sender, recipient, subject, date and list headers", () => {
    const whole = message(compile(approved({ subject: "Grüße {{contact.first_name:capitalize}}" }), sender, tracked))
    const head = whole.slice(0, whole.indexOf("\r\n\r\n") + 2)
    assert.strictEqual(
      head,
      [
        `From: "Acme" <news@example.test>`,
        "To: ada@example.com",
        "Reply-To: reply@example.test",
        "Subject: =?utf-8?B?R3LDvMOfZSBBZGE=?=",
        "Date: Sat, 21 Nov 2026 11:13:09 +0000",
        "Message-ID: <0190a0de@example.test>",
        "List-Unsubscribe: <https://pages.test/u/abc?x=1&y=2>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "List-Id: <blast.acme.example.test>",
        "Feedback-ID: blast:acme:tentpole",
        "MIME-Version: 1.0",
        "Content-Type: multipart/alternative;",
        ` boundary="=_0190a0de-0000-7000-8000-000000000003"`,
        "",
      ].join("\r\n"),
    )
  })

  it("has the text before the HTML, which mail clients prefer", () => {
    const whole = message(compile(approved(), sender, tracked))
    assert.isBelow(whole.indexOf("text/plain"), whole.indexOf("text/html"))
  })

  it("writes a domain in A-labels", () => {
    const whole = message(
      compile(approved({ fromAddress: "neu@bücher.example", replyToEmail: "r@bücher.example" }), sender, tracked),
    )
    assert.include(whole, "<neu@xn--bcher-kva.example>")
    assert.include(whole, "Reply-To: r@xn--bcher-kva.example")
  })

  it("has only the address when the sender's name renders empty", () => {
    const whole = message(compile(approved({ fromName: "{{contact.nope}}" }), sender, tracked))
    assert.include(whole, "From: news@example.test\r\n")
  })

  it("has neither unsubscribe headers nor a footer when it is operational", () => {
    const whole = message(compile(approved(), sender, { operational: true, tracked: true, addresses }))
    assert.notMatch(whole, /unsubscribe/i)
  })
})

describe("HTML of a message", () => {
  const htmlOf = (html: string, options = tracked, to = recipient()) =>
    atOnce(renderContent(compile(approved({ html }), sender, options), to)).html

  it.prop("is the author's, byte for byte, without tokens, links, footer and pixel", [AnyHtml], ([pieces]) => {
    const html = pieces.join("").replace(/\{\{|\}\}/g, "")
    assert.strictEqual(htmlOf(html, bare), html)
  })

  it.prop("keeps everything between its slots", [AnyHtml], ([pieces]) => {
    const html = pieces.join("")
    const { html: template } = compile(approved({ html }), sender, bare)
    let at = 0
    for (const piece of template) {
      if (typeof piece !== "string") continue
      // Quotes are added around unquoted attributes with a token, and a `<` before a token is escaped. Nothing else is
      // added.
      const found = html.indexOf(piece.replace(/^"|"$/g, "").replace(/&lt;$/, "<"), at)
      assert.isAtLeast(found, at)
      at = found
    }
  })

  it("leads web links through the redirect, and no other links", () => {
    const html = `<a href="https://a.example/?x=1&amp;y=2#f">1</a><a href='mailto:a@b.example'>2</a><a href=http://b.example>3</a><a data-no-track href="https://c.example">4</a><a href="#top">5</a><a href="/rel">6</a><a href="{{unsubscribe_url}}">7</a><a href="{{view_in_browser_url}}">8</a><link href="https://d.example"><map><area href="HTTPS://e.example"></map><a href="ftp://f.example">9</a>`
    const compiled = compile(approved({ html }), sender, tracked)
    assert.deepStrictEqual(compiled.links, [
      ["https://a.example/?x=1&y=2#f"],
      ["http://b.example"],
      ["HTTPS://e.example"],
    ])
    const click = (index: number) => `"https://pages.test/c/?d=1&amp;m=&quot;x&quot;&amp;n=${index}"`
    assert.strictEqual(
      atOnce(renderContent(compiled, recipient())).html,
      `<a href=${click(0)}>1</a><a href='mailto:a@b.example'>2</a><a href=${click(1)}>3</a><a data-no-track href="https://c.example">4</a><a href="#top">5</a><a href="/rel">6</a><a href="https://pages.test/u/abc?x=1&amp;y=2">7</a><a href="https://pages.test/v/abc">8</a><link href="https://d.example"><map><area href=${click(2)}></map><a href="ftp://f.example">9</a><img src="https://pages.test/o/1?a=1&amp;b=2" width="1" height="1" alt="" style="display:block;border:0">`,
    )
    assert.strictEqual(linkTarget(compiled, 0, recipient()), "https://a.example/?x=1&y=2#f")
    assert.isNull(linkTarget(compiled, 3, recipient()))
    assert.isNull(linkTarget(compiled, -1, recipient()))
  })

  it("does not change links without tracking", () => {
    const html = `<p><a href="https://a.example/?x=1&amp;y=2">1</a></p>`
    assert.strictEqual(htmlOf(html, bare), html)
  })

  it("numbers links by their place in the source, those for Outlook too", () => {
    const html = `<table><a href="https://1.example">x</a><tr><td><!--[if mso]><v:roundrect href="https://2.example"><![endif]--><a href="https://3.example">y</a></table><a href="https://1.example">again</a>`
    const { links } = compile(approved({ html }), sender, tracked)
    assert.deepStrictEqual(links, [
      ["https://1.example"],
      ["https://2.example"],
      ["https://3.example"],
      ["https://1.example"],
    ])
  })

  it("fills a link's target with the recipient's values", () => {
    const html = `<a href="https://x.example/{{contact.last_name}}?q={{campaign.dynamic.code|a b}}&amp;z">1</a><a href=" {{campaign.dynamic.page}}?a=1">2</a>`
    const compiled = compile(approved({ html }), sender, tracked)
    const to = (page: string) => recipient({ dynamic: { code: "X&Y", page } })
    assert.strictEqual(linkTarget(compiled, 0, to("")), "https://x.example/Lovelace?q=X%26Y&z")
    assert.strictEqual(linkTarget(compiled, 1, to("https://p.example/a")), "https://p.example/a?a=1")
    assert.include(atOnce(renderContent(compiled, to("https://p.example/a"))).html, `&amp;n=1">2</a>`)
    for (const page of ["javascript:alert(1)", "", "data:text/html,x", " java\nscript:alert(1)"]) {
      assert.isNull(linkTarget(compiled, 1, to(page)))
      assert.include(atOnce(renderContent(compiled, to(page))).html, `<a href="?a=1">2</a>`)
    }
    assert.include(
      atOnce(renderContent(compiled, to("mailto:a@b.example"))).html,
      `<a href="mailto:a@b.example?a=1">2</a>`,
    )
  })

  it("keeps a link's target byte for byte, except for what no browser would keep", () => {
    const html = `<a href=" https://x.example/a b?c=%20&amp;d=\n{{campaign.dynamic.code}} e {{campaign.dynamic.code}} ">1</a><a href="\thttps://y.example/ü?ö=1&z=&quot;x&quot; ">2</a>`
    const compiled = compile(approved({ html }), sender, tracked)
    assert.strictEqual(linkTarget(compiled, 0, recipient()), "https://x.example/a b?c=%20&d=X%26Y e X%26Y")
    assert.strictEqual(linkTarget(compiled, 1, recipient()), `https://y.example/ü?ö=1&z="x"`)
  })

  it("has a footer with the postal address unless it has an unsubscribe link", () => {
    assert.include(
      htmlOf("<body><p>x</p></body>"),
      'Acme &amp; Söhne<br>1 Way<br>Town &lt;1&gt;<br><a href="https://pages.test/u/abc?x=1&amp;y=2"',
    )
    assert.match(
      htmlOf("<body><p>x</p></body></html>"),
      /<\/p><div .*Unsubscribe<\/a> · <a [^>]*>Preferences<\/a><\/div><img [^>]*><\/body><\/html>$/,
    )
    const nameless = compile(approved({}), { ...sender, publicName: null, postalAddress: null }, tracked)
    for (const text of [nameless.html, nameless.text].map(String)) assert.notMatch(text, /Acme|undefined|null/)
    for (const own of [
      `<a href="{{unsubscribe_url}}">u</a>`,
      "<p>{{unsubscribe_url}}</p>",
      "<p>{{ unsubscribe_url | x }}</p>",
    ]) {
      assert.notInclude(htmlOf(own), "Söhne")
    }
  })

  it("has the footer when the unsubscribe link is only in a comment, a style or a part for Outlook", () => {
    for (const html of [
      "<!-- {{unsubscribe_url}} -->",
      "<style>{{unsubscribe_url}}</style>",
      `<!--[if mso]><a href="{{unsubscribe_url}}">u</a><![endif]-->`,
    ]) {
      assert.include(htmlOf(html), "Söhne", html)
    }
  })

  it("decodes a fallback as HTML, formats it, and escapes it again", () => {
    assert.strictEqual(htmlOf("<p>{{contact.city|R&amp;D &lt;x&gt;:uppercase}}</p>", bare), "<p>R&amp;D &lt;X&gt;</p>")
    assert.strictEqual(htmlOf(`<p title="{{contact.city|a &quot;b&quot;}}">`, bare), `<p title="a &quot;b&quot;">`)
  })

  it("removes values from contexts in which they could do harm", { tags: ["attack/html-injection"] }, () => {
    const evil = recipient({ contact: withValue(`"'><script>alert(1)</script>{}();:/*`) })
    assert.strictEqual(
      htmlOf(
        `<style>a{color:{{contact.company}}}</style><p style="color:{{contact.company}}" onclick="f('{{contact.company}}')">`,
        bare,
        evil,
      ),
      `<style>a{color:scriptalert1script}</style><p style="color:scriptalert1script" onclick="f('scriptalert1script')">`,
    )
    assert.strictEqual(htmlOf("<p title={{contact.city}} id=x>", bare), `<p title="" id=x>`)
    assert.strictEqual(htmlOf("<img src={{contact.company}}>", bare, evil), `<img src="">`)
  })
})

describe("Text of a message", () => {
  const textOf = (text: string, options = tracked) =>
    atOnce(renderContent(compile(approved({ text }), sender, options), recipient())).text

  it("has values without escaping, and its own footer", () => {
    assert.strictEqual(
      textOf("Hi {{contact.custom_fields.color}}"),
      "Hi blue & <green>\n\n---\nAcme & Söhne\n1 Way\nTown <1>\nUnsubscribe: https://pages.test/u/abc?x=1&y=2\nPreferences: https://pages.test/u/abc?x=1&y=2/preferences\n",
    )
    assert.strictEqual(textOf("Bye {{unsubscribe_url}}"), "Bye https://pages.test/u/abc?x=1&y=2")
    assert.strictEqual(textOf("Hi", bare), "Hi")
  })

  it("is derived from the HTML without tags, styles, images and preheader, with tokens intact", () => {
    const html = `<html><head><title>t</title><style>p{}</style></head><body><div data-preheader>pre</div><h1>Big &amp; bold</h1><table><tr><td>one</td><td>two</td></tr></table><p>{{contact.first_name|dear   friend}}</p><img src="x" alt="pic"><a href="https://a.example/?x=1&amp;y=2">go</a> <a href="{{unsubscribe_url}}">out</a></body></html>`
    assert.strictEqual(
      plainText(html),
      "Big & bold\n\none\n\ntwo\n\n{{contact.first_name|dear friend}}\n\ngo [https://a.example/?x=1&y=2] out [{{unsubscribe_url}}]",
    )
  })

  it("is derived from any HTML", () => {
    for (const html of ["", "text", "<".repeat(1000), "<div>".repeat(10_000), ...nasty])
      assert.isString(plainText(html))
  })
})

describe("Rendering", () => {
  it.prop(
    "never throws for any email, workspace and recipient",
    [AnyHtml, AnyText, AnyText, Schema.Boolean],
    ([html, one, two, flag]) => {
      const compiled = compile(
        approved({
          html: html.join(two),
          text: one,
          subject: two,
          fromName: one,
          fromAddress: `${two}@example.test`,
          replyToEmail: one,
        }),
        { ...sender, workspaceName: one, publicName: one, postalAddress: two },
        { operational: flag, tracked: !flag, addresses },
      )
      const to = recipient({
        contact: { ...withValue(one), customFields: { [two]: one }, lastActivityAt: at(1) },
        address: one,
        dynamic: { page: two },
        messageId: one,
        listId: two,
        feedbackId: one,
      })
      const whole = message(compiled, to)
      assert.notMatch(whole, /\r(?!\n)|(?<!\r)\n/)
      assert.strictEqual(whole.slice(0, whole.indexOf("\r\n\r\n")).split(/\r\n(?![ \t])/).length, flag ? 10 : 12)
    },
  )

  it("compiles hostile input in linear time", { tags: ["attack/slow-input"] }, () => {
    for (const html of [
      "<b><i>".repeat(20_000),
      "{{contact.first_name}}".repeat(10_000),
      "<!--[if mso]>".repeat(10_000),
      `<p ${"a ".repeat(50_000)}>`,
      `<a href="https://x.example/${" ".repeat(500_000)}x">`,
    ]) {
      assert.isNotEmpty(compile(approved({ html }), sender, tracked).body)
    }
  })
})

it("fills a token once that is the first text of an email without elements", () => {
  const compiled = compile(approved({ html: "{{contact.first_name}}" }), sender, bare)
  assert.strictEqual(atOnce(renderContent(compiled, recipient({ contact: withValue("Ada") }))).html, "Ada")
})
