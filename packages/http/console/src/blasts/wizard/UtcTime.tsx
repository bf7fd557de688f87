// The zone and the UTC time beneath a time of the workspace's zone.
import { Text } from "@mantine/core"
import { useTimeZone } from "../../session.tsx"

export const UtcTime = ({ at }: { readonly at: string }) => {
  const timeZone = useTimeZone()
  return (
    <Text size="xs" c="dimmed">
      {timeZone === "UTC" ? timeZone : `${timeZone} · ${at.slice(0, 16).replace("T", " ")} UTC`}
    </Text>
  )
}
