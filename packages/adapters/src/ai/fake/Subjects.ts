// What pages and emails of the fake AI are about: kinds of pages, kinds of business, and the sample text of each.
import { capital } from "./Figures.ts"
import type { MotifName } from "./Motifs.ts"

export type Kind =
  | "pricing"
  | "webinar"
  | "waiting-list"
  | "job"
  | "event"
  | "opening"
  | "sale"
  | "restaurant"
  | "update"
  | "general"

const kinds: ReadonlyArray<readonly [Kind, RegExp]> = [
  ["pricing", /\b(?:pricing|price list|price page|prices page|plans and prices|subscription plans)\b/i],
  [
    "webinar",
    /\b(?:webinar|web seminar|online (?:workshop|course|seminar|event|talk)|live session|workshop|masterclass)\b/i,
  ],
  ["waiting-list", /\b(?:wait(?:ing)?[ -]?list|coming soon|early access|pre-?launch)\b/i],
  ["job", /\b(?:job|jobs|vacancy|vacancies|hiring|career|careers|recruit\w*|position as|apprenticeship)\b/i],
  ["event", /\b(?:event|festival|fair|party|concert|wedding|meet-?up|conference|open day|gala|picnic|tournament)\b/i],
  [
    "opening",
    /\b(?:grand opening|(?:shop|store|branch|studio|salon|office|location|café|cafe|bakery|restaurant) opening|opening of|we(?: are)? open(?:ing)? (?:in|on|our)|opens its doors)\b/i,
  ],
  [
    "sale",
    /\b(?:sale|sales|discount|discounts|black friday|clearance|special offer|voucher|coupon|(?:%|percent|per cent) off)\b|\d\s?% off\b/i,
  ],
  ["restaurant", /\b(?:restaurant|pizzeria|bistro|trattoria|brasserie|diner|eatery|menu|tavern)\b/i],
  ["update", /\b(?:product update|release notes|changelog|what's new|new (?:version|release|features?)|update)\b/i],
]

/** The kind that the text names first. */
export const kindOf = (text: string): Kind =>
  first(text.replace(/\bopening (?:hours|times)\b/gi, ""), kinds) ?? "general"

const first = <A>(text: string, choices: ReadonlyArray<readonly [A, RegExp]>): A | null => {
  let best: A | null = null
  let nearest = Number.POSITIVE_INFINITY
  for (const [choice, words] of choices) {
    const at = text.search(words)
    if (at < 0 || at >= nearest) continue
    best = choice
    nearest = at
  }
  return best
}

export interface Subject {
  /** What the business is called in a word; null: nothing is known of it. */
  readonly label: string | null
  /** The label names the business itself, so that a team can sign as that of the bakery. */
  readonly isBusiness: boolean
  /** Null: any accent. */
  readonly accent: string | null
  readonly motif: MotifName | null
  /** Sample text: titles and sentences. `{}` is the topic. */
  readonly cards: ReadonlyArray<readonly [title: string, text: string]>
  /** Sample products with sample prices. */
  readonly products: ReadonlyArray<readonly [name: string, price: string]>
}

type Row = readonly [words: RegExp, subject: Subject]

const subject = (
  label: string | null,
  accent: string,
  motif: MotifName,
  cards: Subject["cards"],
  products: Subject["products"] = [],
): Subject => ({ label, isBusiness: label !== null, accent, motif, cards, products })

const rows: ReadonlyArray<Row> = [
  [
    /\b(?:baker(?:y|ies|'s|s)?|bread|sourdough|croissants?|pastr(?:y|ies)|patisserie|confectioner\w*)\b/i,
    subject(
      "Bakery",
      "#b45309",
      "bread",
      [
        ["Out of the oven", "Bread and rolls, still warm in the morning."],
        ["For every table", "Loaves, pastries and cakes, for one or for many."],
        ["Order ahead", "Tell us what you need, and pick it up when it suits you."],
      ],
      [
        ["Sourdough loaf", "6.50"],
        ["Butter croissant", "2.20"],
        ["Apple tart", "4.80"],
      ],
    ),
  ],
  [
    /\b(?:café|cafe|coffee|espresso|roaster\w*|tea ?house)(?!\p{L})/iu,
    subject(
      "Café",
      "#92400e",
      "cup",
      [
        ["Freshly brewed", "Coffee and tea, made when you order."],
        ["Something sweet", "Cakes and small bites to go with it."],
        ["Take a seat", "Room to meet, to read and to stay a while."],
      ],
      [
        ["Espresso", "3.50"],
        ["Cappuccino", "4.80"],
        ["Cake of the day", "5.50"],
      ],
    ),
  ],
  [
    /\b(?:restaurant|pizzeria|pizza|bistro|trattoria|brasserie|diner|eatery|tavern|chef|cuisine|dishes|menu)\b/i,
    subject(
      "Restaurant",
      "#be123c",
      "plate",
      [
        ["From the kitchen", "Dishes for lunch and dinner, cooked to order."],
        ["At the table", "Room for two, for families and for groups."],
        ["Reserve", "Tell us the day and the number of guests."],
      ],
      [
        ["Starter of the day", "9.50"],
        ["Main course of the day", "24.00"],
        ["Dessert of the day", "8.50"],
      ],
    ),
  ],
  [
    /\b(?:gardens?|gardening|plants?|flowers?|florist|nursery|seeds?|trees?|farm|vegetables?)\b/i,
    subject(null, "#15803d", "leaf", [
      ["For your green space", "Everything for {}, from the first day to the harvest."],
      ["Season by season", "What to do now, and what comes next."],
      ["Good advice", "Ask us what grows well where you live."],
    ]),
  ],
  [
    /\b(?:climb\w*|yoga|fitness|gym|running|runners?|hik\w+|bikes?(?![ -]?sharing)|bicycles?|cycling|swim\w*|football|sports?|ski\w*|pilates|tennis|outdoors?|mountains?)\b/i,
    subject(
      null,
      "#0f766e",
      "mountain",
      [
        ["For every level", "Beginners and experienced people train side by side."],
        ["At your pace", "Choose the days and the length that suit you."],
        ["Together", "Meet people who like {} as much as you do."],
      ],
      [
        ["Single visit", "15"],
        ["Ten visits", "120"],
        ["Monthly pass", "89"],
      ],
    ),
  ],
  [
    /\b(?:webinar|courses?|workshops?|training|school|lessons?|university|tutor\w*|masterclass|seminar|coaching)\b/i,
    subject(null, "#4338ca", "screen", [
      ["Step by step", "From the basics of {} to what you can use the next day."],
      ["Examples", "Real cases instead of theory alone."],
      ["Your questions", "Bring what you want to know."],
    ]),
  ],
  [
    /\b(?:apps?|software|saas|api|platform|dashboard|developers?|engineers?|sensors?|start-?up|data|analytics|crm|cloud|web ?shop|gadget|devices?|tools?)\b/i,
    subject(
      null,
      "#1d4ed8",
      "window",
      [
        ["Ready in minutes", "Set up {} and see the first result the same day."],
        ["Works with your tools", "Connect what you use already."],
        ["Your data is yours", "Export everything at any time."],
      ],
      [
        ["Starter", "0"],
        ["Team", "19"],
        ["Business", "49"],
      ],
    ),
  ],
  [
    /\b(?:concert|music|band|choir|orchestra|festival|party|dance|theat(?:re|er)|film|cinema|wedding|celebration|picnic|fair)\b/i,
    subject(null, "#7c3aed", "flags", [
      ["What happens", "A programme for everybody, from the first hour to the last."],
      ["Bring your friends", "It is better together."],
      ["Getting there", "Come by train, by bike or on foot."],
    ]),
  ],
  [
    /\b(?:hotel|travel|trips?|tours?|holidays?|vacation|hostel|camping|bed and breakfast)\b/i,
    subject(null, "#0369a1", "mountain", [
      ["Arrive", "Everything is prepared when you come."],
      ["Look around", "Places worth seeing, near and far."],
      ["Stay longer", "One night, one week or the whole season."],
    ]),
  ],
  [
    /\b(?:doctors?|clinic|dentists?|therap\w+|massage|spa|wellness|pharmacy|health|physio\w*)\b/i,
    subject(null, "#0f766e", "heart", [
      ["Time for you", "We listen first."],
      ["Clear answers", "You learn what we do, and why."],
      ["Appointments", "Tell us when it suits you."],
    ]),
  ],
  [
    /\b(?:tax|taxes|accountants?|accounting|bank|insurance|lawyers?|legal|consult\w+|finance|agency|real estate|notary)\b/i,
    subject(null, "#334155", "chart", [
      ["Understand", "Where you stand with {}, in plain words."],
      ["Decide", "Your options side by side."],
      ["Act", "The next steps, one after the other."],
    ]),
  ],
  [
    /\b(?:shops?|store|boutique|fashion|shoes?|clothes|clothing|jewel\w*|books?|bookshop|toys?|furniture|chairs?|gifts?)\b/i,
    subject("Shop", "#a21caf", "storefront", [
      ["Look around", "Take your time, touch and try."],
      ["Find what fits", "We help you to choose."],
      ["Take it home", "Or let us deliver it."],
    ]),
  ],
]

/** General sentences, without facts that the prompt does not give. */
export const generalCards: Subject["cards"] = [
  ["At a glance", "The most important things about {}, in one place."],
  ["Easy to start", "Pick what you like, and we see to the rest."],
  ["Ask us", "We answer questions about {}."],
  ["Take your time", "Compare, think it over, and decide when you are ready."],
  ["Stay in touch", "Hear from us when there is something new."],
  ["Tell your friends", "Share this page with people who may like it."],
]

const none: Subject = {
  label: null,
  isBusiness: false,
  accent: null,
  motif: null,
  cards: generalCards.slice(0, 3),
  products: [],
}

/** The business that the text names first. */
export const subjectOf = (text: string): Subject => {
  const row = first(
    text,
    rows.map((each) => [each, each[0]] as const),
  )
  if (row === null) return none
  const [words, found] = row
  return found.label === null ? { ...found, label: capital(words.exec(text)?.[0] ?? "") } : found
}

/** The pictures of kinds that show what they are better than a business does. */
export const motifOfKind: Readonly<Partial<Record<Kind, MotifName>>> = {
  webinar: "screen",
  job: "briefcase",
  event: "flags",
  opening: "storefront",
  restaurant: "plate",
  "waiting-list": "bell",
}

/** What a page of this kind is called in a few words. */
export const labelOfKind: Readonly<Record<Kind, string | null>> = {
  pricing: "Plans and prices",
  webinar: "Online event",
  "waiting-list": "Coming soon",
  job: "Job offer",
  event: "Event",
  opening: "Opening",
  sale: "Special offer",
  restaurant: "Restaurant",
  update: "News",
  general: null,
}
