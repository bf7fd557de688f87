// Pictures inside a page's HTML, as data URLs. A model gets the page with short addresses instead, so that pictures cost no
// tokens and come back unchanged.
import type { PageAsset } from "../../ports/Ai.ts"
import type { Parser } from "../../ports/Parsers.ts"

/** The address of a picture in a request to the AI. */
export const addressOf = (place: number): string => `asset:${place + 1}`

interface Picture {
  readonly address: string
  /** A data URL. */
  readonly data: string
}

export interface PageWithPictures {
  readonly html: string
  readonly pictures: ReadonlyArray<Picture>
}

/** Further pictures stay in the HTML. */
export const pictures_max = 50

const dataUrl = /data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+=*/g

/** Replaces data URLs of pictures by addresses. Equal pictures get one address. */
export const withoutPictures = (html: string): PageWithPictures => {
  const addresses = new Map<string, string>()
  const text = html.replace(dataUrl, (data) => {
    const known = addresses.get(data)
    if (known !== undefined || addresses.size === pictures_max) return known ?? data
    const address = addressOf(addresses.size)
    addresses.set(data, address)
    return address
  })
  return { html: text, pictures: [...addresses].map(([data, address]) => ({ address, data })) }
}

/** Replaces the addresses by the pictures. The cleaner removes addresses without a picture. */
export const withData = ({ html, pictures }: PageWithPictures): string => {
  const found = new Map(pictures.map(({ address, data }) => [address, data]))
  return html.replace(/(["'(=])(asset:\d+)(?=["')\s>])/g, (whole, before: string, address: string) => {
    const data = found.get(address)
    return data === undefined ? whole : before + data
  })
}

/** The pictures as the AI gets them: names, types and addresses. */
export const describedPictures = (pictures: ReadonlyArray<Picture>): ReadonlyArray<PageAsset> =>
  pictures.map(({ address, data }, place) => ({
    fileName: `picture ${place + 1} of the page`,
    contentType: data.slice("data:".length, data.indexOf(";")),
    size_bytes: data.length,
    bytes: null,
    address,
  }))

export const withoutPicturesParser: Parser<string, PageWithPictures> = {
  name: "page_without_pictures",
  run: withoutPictures,
  sizeOf: (html) => html.length,
}

export const withDataParser: Parser<PageWithPictures, string> = {
  name: "page_with_pictures",
  run: withData,
  sizeOf: ({ html, pictures }) => pictures.reduce((size, { data }) => size + data.length, html.length),
}
