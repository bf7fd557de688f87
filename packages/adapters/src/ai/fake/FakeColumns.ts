// The fake AI's column matching: names of contact fields in common languages, labels within longer headers, and the shapes of
// values. The same request gives the same result.
import type { ColumnAsked, ColumnMatch, ColumnsRequest, FieldOffered } from "@tentpole/core/ports/Ai"

export const matchesFor = ({ columns, fields }: ColumnsRequest): ReadonlyArray<ColumnMatch> => {
  const free = new Map(fields.map((field) => [field.apiName, field]))
  const matches = new Map<string, string>()
  for (const rule of [byVocabulary, byLabel, byShape]) {
    for (const column of columns) {
      const field = matches.has(column.header) ? undefined : rule(column, free)
      if (field === undefined) continue
      matches.set(column.header, field)
      free.delete(field)
    }
  }
  return columns.flatMap(({ header }) => {
    const targetField = matches.get(header)
    return targetField === undefined ? [] : [{ header, targetField }]
  })
}

/** The free field that a column belongs to; undefined when this rule does not apply. */
type ColumnRule = (column: ColumnAsked, free: ReadonlyMap<string, FieldOffered>) => string | undefined

/** Spanish, French, German, Italian, Portuguese, Dutch. By the `api_name` of a standard field. */
const vocabulary: Readonly<Record<string, string>> = {
  email:
    "Correo|Correo electrónico|Dirección de correo electrónico|Courriel|Adresse e-mail|Adresse électronique|E-Mail-Adresse|Indirizzo email|Indirizzo e-mail|Posta elettronica|Endereço de e-mail|Correio eletrónico|E-mailadres",
  phone:
    "Teléfono|Número de teléfono|Móvil|Celular|Téléphone|Numéro de téléphone|Portable|Telefon|Telefonnummer|Handy|Handynummer|Mobiltelefon|Telefono|Numero di telefono|Cellulare|Telefone|Telemóvel|Telefoon|Telefoonnummer",
  first_name: "Nombre de pila|Prénom|Vorname|Primeiro nome|Nome próprio|Voornaam",
  last_name: "Apellido|Apellidos|Nom de famille|Nachname|Familienname|Cognome|Apelido|Achternaam",
  display_name: "Nombre completo|Nom complet|Vollständiger Name|Nome completo|Volledige naam|Nickname",
  company: "Empresa|Compañía|Entreprise|Société|Firma|Unternehmen|Azienda|Società|Bedrijf",
  job_title: "Cargo|Puesto|Fonction|Poste|Berufsbezeichnung|Funktion|Qualifica|Functie",
  address: "Dirección|Adresse|Straße|Anschrift|Indirizzo|Via|Endereço|Morada|Adres|Straat",
  city: "Ciudad|Ville|Stadt|Ort|Wohnort|Città|Cidade|Stad|Woonplaats",
  state: "Provincia|Région|Bundesland|Regione|Distrito|Provincie",
  zip_code: "Código postal|Code postal|Postleitzahl|PLZ|CAP|Codice postale|CEP",
  country: "País|Pays|Land|Paese|Nazione",
}

/** Lower-case letters and digits without accents; anything between them becomes one space. */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const fieldOfWord: ReadonlyMap<string, string> = new Map(
  Object.entries(vocabulary).flatMap(([field, words]) => words.split("|").map((word) => [plain(word), field] as const)),
)

const byVocabulary: ColumnRule = ({ header }, free) => {
  const field = fieldOfWord.get(plain(header))
  return field !== undefined && free.has(field) ? field : undefined
}

/** Matches "What is your shoe size?" to Shoe size. A label of one word is too ambiguous. */
const byLabel: ColumnRule = ({ header }, free) => {
  const words = ` ${plain(header)} `
  for (const { apiName, displayName } of free.values()) {
    const label = plain(displayName)
    if (label.includes(" ") && words.includes(` ${label} `)) return apiName
  }
  return undefined
}

const address = /^[aA9._%+-]+@[aA9-]+(\.[aA9-]+)+$/
/** Phone numbers with a country or area code. Other numbers may mean anything. */
const number = /^(\+9|\(9)[9 ()./-]{6,}$/
/** Headers of numbers that are not the contact's phone. */
const otherNumber = /\b(fax|telefax|pager)\b/

const byShape: ColumnRule = ({ header, shapes }, free) => {
  if (shapes.length === 0) return undefined
  if (free.has("email") && shapes.every((shape) => address.test(shape))) return "email"
  const calls = free.has("phone") && !otherNumber.test(plain(header))
  return calls && shapes.every((shape) => number.test(shape)) ? "phone" : undefined
}
