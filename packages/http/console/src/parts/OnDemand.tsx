// Menus and popovers that are loaded with their first click: their code is large, and no screen begins with one open.
import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from "react"

interface Props {
  /** The button, which looks the same before and after. */
  readonly button: (onOpen: () => void) => ReactNode
  /** The lazy component, which opens itself: it calls `useOpening`. */
  readonly children: ReactNode
}

export const OnDemand = ({ button, children }: Props) => {
  const [isWanted, setWanted] = useState(false)
  const plain = button(() => setWanted(true))
  return isWanted ? <Suspense fallback={plain}>{children}</Suspense> : plain
}

interface Opening {
  readonly target: RefObject<HTMLButtonElement | null>
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
}

/** The state of a menu that opens when it is mounted. The focus returns to its button, which replaced the clicked one. */
export const useOpening = (): Opening => {
  const target = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    target.current?.focus()
    const frame = requestAnimationFrame(() => setOpen(true))
    return () => cancelAnimationFrame(frame)
  }, [])
  return { target, isOpen, setOpen }
}
