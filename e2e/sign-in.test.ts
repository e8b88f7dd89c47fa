import { describeCompanySignIn } from "./company-sign-in.ts";
import { startDnsServer, type DnsServer } from "./dns-server.ts";
import { describePasskeys } from "./passkeys.ts";
import { startAlone } from "./product.ts";
import { describeSecondFactor } from "./second-factor.ts";
import { visitProduct } from "./visit.ts";

let dns: DnsServer;

const visit = visitProduct(async () => {
  dns = await startDnsServer();
  const { product, end } = await startAlone([], { IDENTITY_DNS_SERVERS: dns.address });
  return {
    product,
    end: async () => {
      await end();
      dns.stop();
    },
  };
});

describeSecondFactor(visit);

describeCompanySignIn(visit, () => dns);

describePasskeys(visit);
