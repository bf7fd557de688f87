// Plays the frames of a simulation. With reduced motion it begins at the end and moves by single steps only.
import { useReducedMotion } from "@mantine/hooks"
import { useEffect, useState } from "react"

export const speeds = [0.5, 1, 2, 4] as const

const frame_ms = 1_100

export const usePlayback = (count: number) => {
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false })
  const [at, setAt] = useState(isStill ? count - 1 : -1)
  const [isPlaying, setPlaying] = useState(!isStill)
  const [speed, setSpeed] = useState<number>(1)
  const isRunning = isPlaying && at < count - 1
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setTimeout(() => setAt((before) => before + 1), at < 0 ? 0 : frame_ms / speed)
    return () => clearTimeout(timer)
  }, [isRunning, at, speed])
  return {
    at,
    isPlaying: isRunning,
    isAtEnd: at >= count - 1,
    speed,
    setSpeed,
    /** From the beginning, if the end is reached. */
    play: () => {
      if (at >= count - 1) setAt(-1)
      setPlaying(true)
    },
    pause: () => setPlaying(false),
    step: (by: 1 | -1) => {
      setPlaying(false)
      setAt((before) => Math.max(-1, Math.min(count - 1, before + by)))
    },
    seek: (to: number) => {
      setPlaying(false)
      setAt(to)
    },
  }
}

export type Playback = ReturnType<typeof usePlayback>
