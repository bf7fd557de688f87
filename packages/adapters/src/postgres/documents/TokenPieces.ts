// Pieces of texts that may contain merge tokens, extracted in SQL so that two megabytes of HTML are not transferred.

/** An array of the pieces between braces; `texts` is an SQL expression of type text[]. */
export const tokensOf = (texts: string): string => String.raw`array(
    select m[1] from unnest(${texts}) as text, regexp_matches(text, '(\{\{.*?\}\})', 'g') as m)`
