// A preview as wide as a window or a phone, and the choices of how it is shown. A narrower place shows it smaller, as a whole.
import { SegmentedControl } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { Preview } from "../Preview.tsx"
import { useWords } from "../../words/Words.tsx"

interface Props {
  readonly html: string
  readonly title?: string
  readonly isPhone: boolean
  readonly phone_px: number
  /** The least width that is not a phone's. */
  readonly desktop_px: number
  /** Of the place. */
  readonly height_px: number
  readonly scheme?: "light" | "dark"
  readonly pictures: boolean
}

export const ScaledPreview = ({ desktop_px, height_px, isPhone, phone_px, ...rest }: Props) => {
  const { ref, width } = useElementSize()
  const width_px = isPhone ? phone_px : Math.max(width, desktop_px)
  const zoom = width === 0 ? 1 : Math.min(1, width / width_px)
  return (
    <div ref={ref} className="mail-frame">
      <div style={{ zoom }}>
        <Preview {...rest} width_px={width_px} height_px={height_px / zoom} />
      </div>
    </div>
  )
}

interface Choice {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

const TwoWays = ({ isOn, label, off, on, onChange }: Choice & { readonly off: string; readonly on: string }) => (
  <SegmentedControl
    size="xs"
    aria-label={label}
    value={isOn ? "on" : "off"}
    data={[
      { value: "off", label: off },
      { value: "on", label: on },
    ]}
    onChange={(next) => onChange(next === "on")}
  />
)

export const PhoneChoice = (choice: Choice) => {
  const { preview } = useWords("shell")
  return <TwoWays {...choice} off={preview.desktop} on={preview.phone} />
}

export const DarkChoice = (choice: Choice) => {
  const { preview } = useWords("shell")
  return <TwoWays {...choice} off={preview.light} on={preview.dark} />
}
