// The texts of the console in the chosen language. Components read those of their room by `useWords`.
import { createContext, type ReactNode, use, useContext, useEffect, useMemo, useState } from "react"
import { english } from "./English.ts"
import { german } from "./German.ts"

export type Words = { readonly [Room in keyof typeof english]: Awaited<ReturnType<(typeof english)[Room]>> }

type Room = keyof Words

const languages = { en: english, de: german }

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

const asked: Readonly<Record<Language, Map<Room, Promise<unknown>>>> = { en: new Map(), de: new Map() }

const askedFor = (language: Language, room: Room): Promise<unknown> => {
  const before = asked[language].get(room)
  if (before !== undefined) return before
  const words: Promise<unknown> = languages[language][room]()
  asked[language].set(room, words)
  words.then(
    // As React's `use` marks it: a fulfilled promise is read without suspending.
    (value) => Object.assign(words, { status: "fulfilled", value }),
    // The next use asks again.
    () => asked[language].delete(room),
  )
  return words
}

/** Loads the texts of a room in a language. */
export const loadWords = async (language: Language, room: Room): Promise<void> => {
  await askedFor(language, room)
}

interface Spoken {
  readonly language: Language
  readonly choose: (language: Language) => Promise<void>
}

const SpokenContext = createContext<Spoken | null>(null)

export const WordsProvider = ({ children, first }: { readonly children: ReactNode; readonly first: Language }) => {
  const [language, setLanguage] = useState(first)
  const spoken = useMemo(
    () => ({
      language,
      choose: async (next: Language) => {
        localStorage.setItem(key, next)
        await Promise.all([...asked[language].keys()].map((room) => loadWords(next, room)))
        setLanguage(next)
      },
    }),
    [language],
  )
  useEffect(() => document.documentElement.setAttribute("lang", language), [language])
  return <SpokenContext value={spoken}>{children}</SpokenContext>
}

export const useLanguage = (): Spoken => {
  const spoken = useContext(SpokenContext)
  if (spoken === null) throw new Error("useWords is called outside of WordsProvider")
  return spoken
}

/** The texts of a room: `const words = useWords("contacts")`. The component is suspended until they are loaded. */
export const useWords = <Name extends Room>(room: Name): Words[Name] =>
  use(askedFor(useLanguage().language, room)) as Words[Name]
