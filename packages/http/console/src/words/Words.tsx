// The texts of the console in the chosen language. Components read those of their room by `useWords`.
import { createContext, type ReactNode, useContext, useMemo, useState } from "react"
import type { english } from "./English.ts"

export type Words = typeof english

const languages = {
  en: async (): Promise<Words> => (await import("./English.ts")).english,
  de: async (): Promise<Words> => (await import("./German.ts")).german,
}

export type Language = keyof typeof languages

/** Each language by its own name, for the switch. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch" }

export const isLanguage = (text: string | null | undefined): text is Language =>
  text !== null && text !== undefined && Object.hasOwn(languages, text)

const key = "tentpole-language"

/** The language of the switch, otherwise the browser's first one that exists here. */
export const preferredLanguage = (): Language => {
  const stored = localStorage.getItem(key)
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en"
}

interface Loaded {
  readonly language: Language
  readonly words: Words
}

export const loadWords = async (language: Language): Promise<Loaded> => {
  const words = await languages[language]()
  document.documentElement.lang = language
  return { language, words }
}

interface Spoken extends Loaded {
  readonly choose: (language: Language) => Promise<void>
}

const SpokenContext = createContext<Spoken | null>(null)

export const WordsProvider = ({ children, first }: { readonly children: ReactNode; readonly first: Loaded }) => {
  const [loaded, setLoaded] = useState(first)
  const spoken = useMemo(
    () => ({
      ...loaded,
      choose: async (language: Language) => {
        localStorage.setItem(key, language)
        setLoaded(await loadWords(language))
      },
    }),
    [loaded],
  )
  return <SpokenContext value={spoken}>{children}</SpokenContext>
}

export const useLanguage = (): Spoken => {
  const spoken = useContext(SpokenContext)
  if (spoken === null) throw new Error("useWords is called outside of WordsProvider")
  return spoken
}

/** The texts of a room: `const words = useWords("contacts")`. */
export const useWords = <Room extends keyof Words>(room: Room): Words[Room] => useLanguage().words[room]
