// A field of a step or trigger that names one thing of thousands.
import { TextInput } from "@mantine/core"
import { Picker } from "../../parts/fields/Picker.tsx"
import { useEditing } from "../draft/editing.tsx"
import type { Fields } from "./fields.tsx"

type PickerProps<Data> = Parameters<typeof Picker<Data>>[0]

interface Props<Data> extends Pick<PickerProps<Data>, "label" | "source" | "choicesOf" | "placeholder"> {
  readonly of: Fields
  readonly name: string
}

export const PickerPart = <Data,>({ name, of, ...rest }: Props<Data>) => {
  const { names } = useEditing()
  const value = of.values[name]
  const id = typeof value === "string" ? value : null
  const chosenLabel = id === null ? null : (names[id] ?? id)
  if (of.isReadOnly) return <TextInput label={rest.label} readOnly value={chosenLabel ?? ""} />
  return (
    <Picker
      {...rest}
      value={id}
      chosenLabel={chosenLabel}
      error={of.errorOf(name)}
      onChange={(next) => of.set({ [name]: next })}
    />
  )
}
