// Sample messages: emails and recipients, each with one difficulty.

/** An email and its only recipient, as the API takes them. */
export interface Sample {
  readonly name: string
  /** `test`: a test message of the email. `operational`: a blast without unsubscribing. */
  readonly kind: "blast" | "operational" | "test"
  readonly contact: { readonly email: string; readonly first_name: string }
  readonly from_name: string
  readonly from_address: string
  readonly subject: string
  readonly html: string
  /** The decoded subject. */
  readonly readsSubject: string
  /** The recipient in SMTP and in the header. */
  readonly wireTo: string
  readonly wireFrom: string
}

/** The domains of the senders, as users write them. The first one exists from the start. */
export const senderDomains = ["example.test", "bücher.test"] as const

const recipe = `<p>Take five hundred grams of flour, three hundred and fifty of water, ten of salt and a spoon of the sourdough
that has stood in the warm since yesterday. Mix, and let it rest for half an hour before you knead. Fold the dough three times in
two hours; it should be smooth, and come off the bowl by itself. Shape it, lay it into a basket with flour, and give it the night
in a cool place. In the morning bake it in a closed pot, thirty minutes with the lid and fifteen without, until it sounds hollow
when you knock at the bottom. Wait an hour before you cut it, which is the hardest part of all.</p>`

/**
 * A letter that is long enough for the open pixel: SpamAssassin classifies a message with an image and less than 3,200 bytes of
 * text as an image message.
 */
const letter = (words: string, more = ""): string =>
  `<!doctype html><html lang="en"><head><title>News from Acme</title></head><body>
<h1>Hello {{contact.first_name|friend}}</h1>
<p>${words}</p>
<p>We bake every morning at six, and the shop in Mill Lane is open until the last loaf is sold. This week there is rye with
caraway, a plain white loaf, and buns for the children's party on Saturday.</p>
<p><a href="https://example.com/bread?week=47&amp;from=letter">See what is in the oven</a></p>
${more}
${["With rye", "With wheat", "With spelt", "With oats", "With maize", "With walnuts"].map((name) => `<h2>${name}</h2>${recipe}`).join("\n")}
<p>With kind regards,<br>the bakers of Mill Lane</p>
</body></html>`

const plain = {
  kind: "blast",
  contact: { email: "ann@example.org", first_name: "Ann" },
  from_name: "Acme Bakery",
  from_address: "news@example.test",
  subject: "News for {{contact.first_name}}",
  html: letter("There is news from our bakery, and it is good."),
} as const

const sample = (name: string, different: Partial<Sample>): Sample => {
  const sample = { name, ...plain, ...different }
  const { contact, from_address, subject } = sample
  return {
    readsSubject: subject.replace("{{contact.first_name}}", contact.first_name),
    wireTo: contact.email,
    wireFrom: from_address,
    ...sample,
  }
}

const longSubject = "A subject that goes on, as they do when five people have had their say in it "
  .repeat(4)
  .slice(0, 300)

const hebrew = "<p>שלום רב, הלחם של יום שישי מוכן. ניתן להזמין עד יום חמישי בצהריים, ואנחנו נשמור לכם אותו.</p>"

export const samples: ReadonlyArray<Sample> = [
  sample("plain", {}),
  sample("UTF-8 in names and subject", {
    contact: { email: "zoe@example.org", first_name: "Zoë" },
    from_name: "Bäckerei Müller & Söhne, seit 1883 in der Mühlgasse zu Hause",
    subject: "Frühstück für {{contact.first_name}}: Brötchen, Käse und Weißwürste, und dazu ein Glas Süßmost",
    html: letter("Grüße aus der Backstube! Diese Woche gibt es Brötchen, Käse und Weißwürste."),
  }),
  sample("a subject of 300 characters", {
    contact: { email: "lee@example.org", first_name: "Lee" },
    subject: longSubject,
  }),
  sample("right to left", {
    contact: { email: "dana@example.org", first_name: "דנה" },
    from_name: "מאפיית אקמי",
    subject: "שלום {{contact.first_name}}, הלחם מוכן",
    html: letter("See below for the news in Hebrew.", `<div dir="rtl" lang="he">${hebrew.repeat(3)}</div>`),
  }),
  sample("emoji", {
    contact: { email: "max@example.org", first_name: "Max 👩‍👩‍👧‍👦" },
    from_name: "Acme 🥐",
    subject: "🥖🥖🥖 {{contact.first_name}}, fresh bread 🎉 and 👍🏽 buns ".trim(),
    html: letter("Fresh bread 🥖 and buns 🥐 for all of you 👩‍👩‍👧‍👦."),
  }),
  sample("500 kB of HTML", {
    contact: { email: "kim@example.org", first_name: "Kim" },
    html: letter("All our recipes, at last.", "<p>Flour, water, salt, and time; öl und Mehl.</p>\n".repeat(10_500)),
  }),
  sample("a long URL", {
    contact: { email: "jo@example.org", first_name: "Jo" },
    html: letter(
      "One more link:",
      `<p><a href="https://example.com/?q=${"long-".repeat(500)}end">the long one</a></p>`,
    ),
  }),
  sample("a local part beyond ASCII", { contact: { email: "jürgen@example.org", first_name: "Jürgen" } }),
  sample("domains beyond ASCII", {
    contact: { email: "ben@müller.example", first_name: "Ben" },
    from_address: "brief@bücher.test",
    wireFrom: "brief@xn--bcher-kva.test",
    wireTo: "ben@xn--mller-kva.example",
  }),
  sample("no text in the HTML", {
    contact: { email: "pat@example.org", first_name: "Pat" },
    html: '<html><body><img src="https://example.com/a.png" width="600" height="200" alt=""></body></html>',
  }),
  sample("operational", {
    kind: "operational",
    contact: { email: "sam@example.org", first_name: "Sam" },
    subject: "Your order of Tuesday, {{contact.first_name}}",
    html: letter("Your order is ready, and waits for you in the shop.", "<pre>\n.\r\n..\n.QUIT\r\n.\r\n</pre>"),
  }),
  sample("a name that would be headers", {
    contact: { email: "eve@example.org", first_name: "Eve\r\nBcc: all@example.org\r\n =?utf-8?q?=0D=0ABcc:_a?=" },
    readsSubject: "News for EveBcc: all@example.org =?utf-8?q?=0D=0ABcc:_a?=",
  }),
  sample("a test message", {
    kind: "test",
    contact: { email: "mia@example.org", first_name: "Mia" },
    readsSubject: "[Test] News for Mia",
  }),
]
