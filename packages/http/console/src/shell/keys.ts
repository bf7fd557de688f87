// Keys: those of a screen, those that go to screens, and the switch that turns off the single letters (WCAG 2.1.4).
import { useHotkeys, useLocalStorage } from "@mantine/hooks"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { useMenu } from "./Side.tsx"

/** Whether the keyboard has ⌘ in place of Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

const paletteEvent = "tentpole-palette"

/** Opens search and commands. The palette loads on demand and listens. */
export const openPalette = (): void => void dispatchEvent(new Event(paletteEvent))

export const onPalette = (open: () => void): (() => void) => {
  addEventListener(paletteEvent, open)
  return () => removeEventListener(paletteEvent, open)
}

export const useSingleKeys = () =>
  useLocalStorage({ key: "tentpole-keys", defaultValue: true, getInitialValueInEffect: false })

/** Inputs whose text a single letter belongs to. */
const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("textarea, select, input:not([type=checkbox], [type=radio])") || target.isContentEditable)

/** A key that writes a letter, with Shift too. */
const isLetter = (key: string): boolean => /^(shift\+)?.$/i.test(key)

/**
 * Keys of a screen, such as `{ n: create, "mod+S": save }`. Single letters are off in inputs, in dialogs, and where the
 * person turned them off.
 */
export const useKeys = (keys: Readonly<Record<string, () => void>>): void => {
  const [single] = useSingleKeys()
  useHotkeys(
    Object.entries(keys)
      .filter(([key]) => single || !isLetter(key))
      .map(([key, run]) => [
        key,
        (event) => {
          const isBusy = isText(event.target) || document.querySelector('[role="dialog"]') !== null
          if (isBusy && !key.startsWith("mod+")) return
          event.preventDefault()
          run()
        },
        { preventDefault: false },
      ]),
    [],
  )
}

/** How long after `g` a letter goes to its screen. */
const go_ms = 1_500

export const useGoKeys = (onHelp: () => void): void => {
  const navigate = useNavigate()
  const pressed_at = useRef(0)
  const entries = useMenu().flatMap((group) => group.entries)
  useKeys({
    g: () => {
      pressed_at.current = Date.now()
    },
    "/": openPalette,
    "shift+?": onHelp,
  })
  const [single] = useSingleKeys()
  useEffect(() => {
    if (!single) return undefined
    const go = (event: KeyboardEvent) => {
      if (Date.now() - pressed_at.current > go_ms || event.key === "g") return
      pressed_at.current = 0
      const entry = entries.find(({ letter }) => letter === event.key)
      if (entry === undefined) return
      // Letters of the screen, such as `c`, must not hear this one.
      event.stopImmediatePropagation()
      event.preventDefault()
      void navigate({ to: entry.path })
    }
    document.addEventListener("keydown", go, { capture: true })
    return () => document.removeEventListener("keydown", go, { capture: true })
  })
}
