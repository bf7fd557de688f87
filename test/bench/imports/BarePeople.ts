// The rows of a chunk, decided by hand: contacts are matched by email alone, and only plain mistakes are errors.
import type { BareActivity } from "../BareStatements.ts"

/** The columns of the file for one contact. */
export interface BarePerson {
  readonly id: string
  readonly email: string
  readonly email_normalized: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly company: string | null
  readonly phone: string | null
  readonly city: string | null
  readonly custom_fields: Readonly<Record<string, string | number>>
}

type Values = Omit<BarePerson, "id" | "email" | "email_normalized">

export interface BareRow {
  readonly status: "created" | "updated" | "failed"
  readonly contact_id: string | null
}

/** In the order in which changes are listed. */
const listed = ["first_name", "last_name", "company", "phone", "city"] as const

const columns_count = 8
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

const valuesOf = ([, first_name, last_name, company, phone, city, note, orders]: ReadonlyArray<string>): Values => ({
  first_name: first_name || null,
  last_name: last_name || null,
  company: company || null,
  phone: phone ? `+${phone.replace(/\D/g, "")}` : null,
  city: city || null,
  custom_fields: { note: note ?? "", orders: Number(orders) },
})

const changesOf = (before: BarePerson, after: BarePerson): ReadonlyArray<unknown> => [
  ...listed.flatMap((field) =>
    before[field] === after[field] ? [] : [{ field, from: before[field], to: after[field] }],
  ),
  ...Object.entries(after.custom_fields).flatMap(([name, to]) => {
    const from = before.custom_fields[name]
    return from === to ? [] : [{ field: `custom_fields.${name}`, from, to }]
  }),
]

export class People {
  readonly #ids: Iterator<string>
  readonly #known = new Map<string, BarePerson>()
  readonly #created = new Set<string>()
  readonly #altered = new Set<string>()
  readonly activities: Array<BareActivity> = []

  constructor(ids: ReadonlyArray<string>) {
    this.#ids = ids[Symbol.iterator]()
  }

  know(existing: ReadonlyArray<BarePerson>): void {
    for (const person of existing) this.#known.set(person.email_normalized, person)
  }

  take(cells: ReadonlyArray<string>): BareRow {
    const [email = ""] = cells
    if (cells.length !== columns_count || !address.test(email) || !Number.isFinite(Number(cells[7]))) {
      return { status: "failed", contact_id: null }
    }
    const email_normalized = email.toLowerCase()
    const before = this.#known.get(email_normalized)
    return before === undefined
      ? this.#create({ id: this.#ids.next().value ?? "", email, email_normalized, ...valuesOf(cells) })
      : this.#update(before, valuesOf(cells))
  }

  get created(): ReadonlyArray<BarePerson> {
    return this.#all([...this.#created])
  }

  get updated(): ReadonlyArray<BarePerson> {
    return this.#all([...this.#altered].filter((email) => !this.#created.has(email)))
  }

  #create(person: BarePerson): BareRow {
    this.#known.set(person.email_normalized, person)
    this.#created.add(person.email_normalized)
    this.activities.push({
      contact_id: person.id,
      type: "contact_created",
      metadata: '{"original_source": "import"}',
    })
    return { status: "created", contact_id: person.id }
  }

  #update(before: BarePerson, values: Values): BareRow {
    // Blank cells change nothing.
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
    const after = { ...before, ...given }
    const changes = changesOf(before, after)
    if (changes.length > 0) {
      this.#known.set(before.email_normalized, after)
      this.#altered.add(before.email_normalized)
      const metadata = JSON.stringify({ changes })
      this.activities.push({ contact_id: before.id, type: "contact_updated", metadata })
    }
    return { status: "updated", contact_id: before.id }
  }

  #all(emails: ReadonlyArray<string>): ReadonlyArray<BarePerson> {
    return emails.flatMap((email) => this.#known.get(email) ?? [])
  }
}
