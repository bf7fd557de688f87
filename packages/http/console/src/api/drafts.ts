// Drafts in the storage of the tab: they survive a reload and the sign-in above the page.

/** Null forgets the draft. The storage has a limit: a draft beyond it lives in the page only. */
export const storeDraft = (key: string, text: string | null): void => {
  try {
    if (text === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
  }
}
