// The nonce of the page, for the styles that CodeMirror writes.
export const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ""
