"""From values of the domain and the ports to models of the API, one module per resource."""
