// Whether the screen is narrower than 768 px: tables are cards there, and dialogs are pages.
import { useMediaQuery } from "@mantine/hooks"

export const useIsPhone = (): boolean =>
  useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false })
