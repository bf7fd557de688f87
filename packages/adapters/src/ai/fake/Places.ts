// Places that a prompt names.

const noPlaces =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Spring|Summer|Autumn|Winter|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|French|German|Italian|Spanish|English|Dutch|Portuguese|Polish|HTML|CSS|CHF|EUR|USD|GBP)\b/

/** `in Bern`, `at Lake Park`. */
export const placeIn = (text: string): string | null => {
  const place =
    /\b(?:in|at)\s(?:the\s)?([A-Z][\p{L}'’-]{2,24}(?:\s[A-Z][\p{L}'’-]{2,24}){0,2})/u.exec(text)?.[1] ?? null
  return place === null || noPlaces.test(place) ? null : place
}

/** `Kramgasse 12, Bern`. */
export const addressIn = (text: string): string | null => {
  const [address, street = ""] = /\b(\p{Lu}[\p{L}.'’-]{2,30})\s\d{1,4}[a-z]?,\s\p{Lu}\p{L}{2,24}\b/u.exec(text) ?? []
  return address === undefined || noPlaces.test(street) ? null : address
}
