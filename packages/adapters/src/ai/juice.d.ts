// The part of juice that is used: its client, which never asks the network for anything, has no types of its own.
declare module "juice/client" {
  /** `removeStyleTags`: whether the style sheets go whose rules have been written to elements. */
  const juice: (html: string, options: { readonly removeStyleTags: boolean }) => string
  export default juice
}
