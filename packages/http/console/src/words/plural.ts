// Plurals of a language: `{n}` in a text is the number in the language's spelling.

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** A function that makes texts of numbers: `plural({ one: "{n} person", other: "{n} people" })(2)` is "2 people". */
export const pluralsOf = (language: string) => {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (forms: Forms) =>
    (count: number): string =>
      (forms[rules.select(count)] ?? forms.other).replaceAll("{n}", numbers.format(count))
}
