import { useEffect, useState } from "react";
import { Link, Outlet, useNavigate, useParams } from "react-router";
import { Text } from "./shop.jsx";

function useProducts() {
  const [products, setProducts] = useState(null);
  useEffect(() => {
    const stopped = new AbortController();
    fetch("/data/products.json", { signal: stopped.signal })
      .then((response) => response.json())
      .then(setProducts)
      .catch((error) => stopped.signal.aborted || console.error(error));
    return () => stopped.abort();
  }, []);
  return products;
}

export function ProductList() {
  const products = useProducts();
  return (
    <Text title="Products" text="Everything that is in stock.">
      <ul>
        {(products ?? []).map((product) => (
          <li key={product.id}>
            <Link to={`/products/${product.id}`}>{product.name}</Link>
          </li>
        ))}
      </ul>
    </Text>
  );
}

export function Product() {
  const { id } = useParams();
  const navigate = useNavigate();
  const products = useProducts();
  if (products === null) return <p>Loading...</p>;
  const product = products.find((one) => one.id === id);
  if (product === undefined) return <Text title="Not found" text="There is no such product." />;
  return (
    <Text title={product.name} text={product.text}>
      {product.reviews > 0 && <Link to={`/products/${id}/reviews`}>Reviews</Link>}
      <button onClick={() => navigate("/basket")}>Buy</button>
      <Outlet context={product} />
    </Text>
  );
}

export function Reviews() {
  const { id } = useParams();
  return (
    <section>
      <h2>Reviews</h2>
      <p>What buyers write about the {id}.</p>
      <Link to={`/products/${id}`}>Hide the reviews</Link>
    </section>
  );
}
