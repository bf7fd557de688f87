// What of texts could hold merge tokens, cut out by the database: two megabytes of HTML stay where they are.

/** An array of the pieces between braces; `texts` is an SQL expression of type text[]. */
export const tokensOf = (texts: string): string => String.raw`array(
    select m[1] from unnest(${texts}) as text, regexp_matches(text, '(\{\{.*?\}\})', 'g') as m)`
