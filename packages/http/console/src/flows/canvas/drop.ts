// The way on which a dragged step would be dropped.
import { createContext, useContext } from "react"

const DropContext = createContext<string | null>(null)

export const DropProvider = DropContext.Provider

export const useDropTarget = (): string | null => useContext(DropContext)
