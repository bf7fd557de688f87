// The sender that new emails begin with.
import { Text, TextInput } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { Link, useRouter } from "@tanstack/react-router"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { Section } from "./Section.tsx"
import { orNull, SettingsForm } from "./SettingsForm.tsx"

const valuesOf = ({ sender_defaults: { from_address, from_name, reply_to_email } }: Admin.Workspace) => ({
  from_name: from_name ?? "",
  from_address: from_address ?? "",
  reply_to_email: reply_to_email ?? "",
})

const payloadOf = (values: Record<string, string>): Admin.UpdateWorkspace => ({
  sender_defaults: {
    from_name: orNull(values["from_name"]),
    from_address: orNull(values["from_address"]),
    reply_to_email: orNull(values["reply_to_email"]),
  },
})

/** Whether the domain of the address may send. */
const DomainNote = ({ address }: { readonly address: string }) => {
  const words = useWords("settings").sender
  const { workspace } = useSession()
  const { routesByPath } = useRouter()
  const [, domain = ""] = address.trim().toLowerCase().split("@")
  if (!domain.includes(".") || workspace === undefined) return null
  const isVerified = workspace.domains.some((each) => each.domain === domain && each.status === "verified")
  const path = "/domains"
  return (
    <Text size="sm" component="div">
      <span className="status" data-tone={isVerified ? "good" : "warning"}>
        {isVerified ? words.verified(domain) : words.unverified(domain)}
      </span>{" "}
      {!isVerified && Object.hasOwn(routesByPath, path) && (
        <Link to={path} className="link">
          {words.domains}
        </Link>
      )}
    </Text>
  )
}

export const SenderSettings = () => {
  const words = useWords("settings").sender
  return (
    <Section name="sender" text={words.text}>
      <SettingsForm valuesOf={valuesOf} payloadOf={payloadOf}>
        {(form) => (
          <>
            <TextInput label={words.fromName} {...form.getInputProps("from_name")} />
            <TextInput label={words.fromAddress} type="email" {...form.getInputProps("from_address")} />
            <DomainNote address={form.values["from_address"] ?? ""} />
            <TextInput label={words.replyTo} type="email" {...form.getInputProps("reply_to_email")} />
          </>
        )}
      </SettingsForm>
    </Section>
  )
}
